"""trustkit."""
