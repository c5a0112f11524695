import type { User } from '../../../contract/admin/users.ts';

/** A person's record at the identity provider, as the contract defines it. */
export type IdpIdentity = NonNullable<User['idp_identities']>[number];

/** The reason why a person can't be invited again, with the action to take instead. */
export const invitationRefusals = {
  passwordChosen: 'the user has chosen a password already, so there is nothing to invite to; '
    + 'whoever has forgotten it follows "Forgot your password?" on the sign-in page',
  unknown: 'the identity provider does not know the user any more; delete the user, and invite another address',
} as const;

/**
 * The people who can sign in. Adapter: `cognito-identity-provider.ts`; the fake in `test/fakes/` passes the same suite.
 * Addresses are in lower case.
 */
export type IdentityProvider = {
  /**
   * Creates the person and sends an invitation. An existing person is returned without another invitation.
   * @throws InvalidInput for an address that the provider refuses; Unavailable when the invitation can't be sent.
   */
  invite(email: string): Promise<IdpIdentity>;
  /**
   * Sends the invitation again with a new temporary password, which replaces the old one.
   * @throws FailedPrecondition for a person who has chosen a password, and for an unknown one; Unavailable when the
   * invitation can't be sent.
   */
  resendInvitation(email: string): Promise<void>;
  /** Blocks sign-in and ends every session. An unknown person is ignored. */
  block(username: string): Promise<void>;
  /** Reverses {@link IdentityProvider.block}. An unknown person is ignored. */
  unblock(username: string): Promise<void>;
  /** Deletes the person, so that the address can be invited again. An unknown person is ignored. */
  remove(username: string): Promise<void>;
  /** Finds a person. @param name the username or the address. */
  find(name: string): Promise<IdpIdentity | undefined>;
};
