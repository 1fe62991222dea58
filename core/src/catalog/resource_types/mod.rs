//! What is known of the types of resources that agents manage: parameters, names and how titles are read.
