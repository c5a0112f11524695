/** The roles of admins. A method names the roles that may call it; ALL may call every method. */
export const adminRoles = ['ALL', 'HELPDESK', 'READ_ONLY'] as const;
export type AdminRole = (typeof adminRoles)[number];

/** The roles that a method may name. */
export type LimitedRole = Exclude<AdminRole, 'ALL'>;

/** Whether an admin with the role may call a method that names these roles. */
export const mayCall = (role: AdminRole, roles: readonly LimitedRole[]): boolean => role === 'ALL' || roles.includes(role);

const missingRoleStart = 'your role is ';

/** The message for an admin whose role does not suffice. @param needed what needs another role. */
export const missingRole = (role: AdminRole, needed: string, roles: readonly LimitedRole[] = []): string =>
  `${missingRoleStart}${role}; ${needed} needs ${['ALL', ...roles].join(' or ')}`;

/** Whether a message is that of {@link missingRole}: the caller is an admin, and may call other methods. */
export const isMissingRole = (message: string): boolean => message.startsWith(missingRoleStart);
