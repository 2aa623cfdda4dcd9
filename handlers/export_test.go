package handlers

// RoleOf is tested by itself: the ways of claims are many.
var RoleOf = roleOf
