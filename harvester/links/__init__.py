"""What happens to a link as a whole: edits, and turning to another provider. Used by tasks, admin and commands."""
