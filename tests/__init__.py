"""The tests. A package of its own, as some that are installed (pygml) bring one of this name, which would come first."""
