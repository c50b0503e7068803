// What is said of a login that ends.

export const WAITING = "Your login has ended. The provider cannot renew it now; this is tried again.";
