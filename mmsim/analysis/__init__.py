"""Tables in, findings out: metrics, statistics, comparisons, ratings."""
