/** Names of properties that every object inherits. A lookup by one of them must find nothing. */
export const inheritedNames = ['constructor', '__proto__', 'toString', 'hasOwnProperty'] as const;
