import { localPartOf, withoutDetail } from './mail-address.ts';

/**
 * The local parts that reach somebody at every domain that receives mail: RFC 5321 §4.5.1 requires `postmaster`, RFC 2142
 * §4 `abuse`. Without such an address the mail goes to an admin (docs/specification.md#accounts).
 */
export const roleLocalParts = ['postmaster', 'abuse'] as const;

/** Whether an address, in lower case, has one of the {@link roleLocalParts}, with or without a detail. */
export const isRoleAddress = (email: string): boolean => {
  const localPart = localPartOf(withoutDetail(email) ?? email);
  return roleLocalParts.some((role) => role === localPart);
};
