class Homing:
    """Heads for the nearest end, lays every marker it can, and gives its markers a station."""

    def choose(self, view, moves):
        return max(moves, key=lambda move: self.value(view, move))

    def value(self, view, move):
        if move.kind in ("station", "bonus"):  # a station is worth a turn if a marker of ours has none yet
            waiting = [corners for corners in self.markers(view) if not set(corners) & set(view.stations)]
            return 30 if any(move.at in corners for corners in waiting) else -30
        if move.to is None or move.kind == "start":  # to pass, to decline, or to begin
            return -20
        ends = view.far_ends(2 * view.seat + move.line)
        return 10 * (move.marker is not None) - min(self.steps(move.to, end) for end in ends)

    def markers(self, view):
        return [view.city.lattice.corners[cell] for owner, cell in view.placed.values() if owner == view.seat]

    def steps(self, u, w):
        q, r = w[0] - u[0], w[1] - u[1]
        return max(abs(q), abs(r), abs(q + r))
