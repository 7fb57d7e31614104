"""What people see and ask for: stories, pictures, records, answers at the command line."""
