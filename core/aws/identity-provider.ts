import { randomUUID } from 'node:crypto';
import type { SecondFactor, User } from '../../contract/admin/users.ts';
import type { Invitation } from '../../contract/oauth/first-sign-in.ts';

/** A person's record at the identity provider, as the contract defines it. */
export type IdpIdentity = NonNullable<User['idp_identities']>[number];

/** The reason why a person can't be invited again, with the action to take instead. */
export const invitationRefusals = {
  receivedHere:
    'the address is at a domain that this deployment receives, where others may read the mail of the mailbox, so that no ' +
    'password is mailed to it; call users/ResetPassword, and give the temporary password to the user',
  passwordChosen:
    'the user has chosen a password already, so there is nothing to invite to; ' +
    'whoever has forgotten it follows "Forgot your password?" on the sign-in page, or gets a temporary password of users/ResetPassword',
} as const;

/** The reason why nothing can be done for a person whom the provider does not know, with the action to take. */
export const unknownPerson = 'the identity provider does not know the user any more; delete the user, and invite another address';

/** The reasons why an address can't be a sign-in address. */
export const addressOfAnother = 'another person signs in with this address at the identity provider';
export const refusedAddress = 'the identity provider refuses this email address';

/** A new address for a person whose address is released. Nobody can have it, because the domain `invalid` is nobody's. */
export const releasedAddress = (): string => `${randomUUID()}@released.invalid`;

/** The reason why the provider removes no second factor, with the action to take. */
export const noSecondFactors =
  'this deployment asks nobody for a second factor, and removes none; after a deployment with mfa=required, it asks ' +
  'for those that people set up before, and users/ResetSecondFactor removes them';

/** The reason why the authenticator app of a person with a temporary password stays, with the action to take. */
export const passwordToChoose =
  'the user has a temporary password, and until they choose their own, the identity provider keeps their authenticator ' +
  'app; let them sign in with it and choose a password, and call users/ResetSecondFactor when the page asks for a code';

/**
 * The people who can sign in. Adapter: `cognito-identity-provider.ts`; the fake in `test/fakes/` passes the same suite.
 * Addresses are in lower case.
 */
export type IdentityProvider = {
  /**
   * Creates the person. An existing person is returned without another invitation.
   * @param invitation the facts that the provider mails with a temporary password. Without it, nothing is mailed, and nobody knows
   * the password until {@link IdentityProvider.resetPassword}.
   * @throws InvalidInput for an address that the provider refuses; Unavailable when the invitation can't be sent.
   */
  invite(email: string, invitation: Invitation | undefined): Promise<IdpIdentity>;
  /**
   * Sends the invitation again with a new temporary password, which replaces the old one.
   * @throws FailedPrecondition for a person who has chosen a password, for an unknown one, and for an address to which
   * no password is mailed; Unavailable when the invitation can't be sent.
   */
  resendInvitation(email: string, invitation: Invitation): Promise<void>;
  /** Blocks sign-in and ends every session. An unknown person is ignored. */
  block(username: string): Promise<void>;
  /** Blocks sign-in, ends every session and frees the person's address for somebody else. An unknown person is ignored. */
  release(username: string): Promise<void>;
  /**
   * Reverses {@link IdentityProvider.block} and {@link IdentityProvider.release}. An unknown person is ignored.
   * @throws AlreadyExists, InvalidInput as {@link IdentityProvider.changeAddress}.
   */
  reinstate(username: string, email: string | undefined): Promise<void>;
  /**
   * Replaces the password. The person must choose another one at the next sign-in.
   * @throws FailedPrecondition for an unknown person.
   */
  resetPassword(username: string, temporaryPassword: string): Promise<void>;
  /**
   * The second factors that the provider lists of a person, within two seconds. It does not always list an app that its
   * page has set up. Empty for an unknown person.
   */
  secondFactors(username: string): Promise<readonly SecondFactor[]>;
  /**
   * Removes the authenticator app of a person, if they have one, and ends the sign-in with their passkeys. Their next
   * sign-in sets up another app.
   * @param hasSignedIn whether the person has signed in before, and so may have an app.
   * @throws FailedPrecondition for an unknown person, for one who may have an app and has a temporary password, and when
   * the provider asks nobody for a second factor.
   */
  removeSecondFactor(username: string, hasSignedIn: boolean): Promise<void>;
  /**
   * Changes the address with which a person signs in, without a message to anybody.
   * @throws AlreadyExists when another person has the address; InvalidInput for an address that the provider refuses;
   * FailedPrecondition for an unknown person.
   */
  changeAddress(username: string, email: string): Promise<void>;
  /** Revokes the refresh tokens of every session. An unknown person is ignored. */
  endSessions(username: string): Promise<void>;
  /** Deletes the person, so that the address can be invited again. An unknown person is ignored. */
  remove(username: string): Promise<void>;
  /** Finds a person. @param name the username or the address. */
  find(name: string): Promise<IdpIdentity | undefined>;
};
