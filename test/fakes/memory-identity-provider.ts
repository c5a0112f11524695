import { randomUUID } from 'node:crypto';
import type { Mfa } from '../../contract/oauth/oauth.ts';
import {
  addressOfAnother,
  invitationRefusals,
  noSecondFactors,
  passwordToChoose,
  refusedAddress,
  releasedAddress,
  unknownPerson,
  type IdentityProvider,
  type IdpIdentity,
} from '../../core/aws/identity-provider.ts';
import { AlreadyExists, FailedPrecondition, InvalidInput } from '../../core/runtime/domain-errors.ts';

/**
 * An {@link IdentityProvider} in memory. `invitations` has the invited addresses in order, `blocked` the blocked
 * usernames, `endedSessions` the usernames whose sessions were ended, `temporaryPasswords` the last one of each username,
 * `authenticators` the usernames with a second factor. `block`, `remove`, `resetPassword`, `removeSecondFactor`,
 * `secondFactors` and `endSessions` throw `fault.error` if it is set. `choosePassword` simulates the first sign-in of a person.
 * @param mfa whether the provider asks for a second factor.
 */
export const memoryIdentityProvider = (
  mfa: Mfa = 'required',
): IdentityProvider & {
  readonly invitations: readonly string[];
  readonly blocked: ReadonlySet<string>;
  readonly endedSessions: readonly string[];
  readonly temporaryPasswords: ReadonlyMap<string, string>;
  readonly authenticators: Set<string>;
  readonly fault: { error?: unknown };
  choosePassword(email: string): void;
} => {
  const people = new Map<string, IdpIdentity>();
  const invitations: string[] = [];
  const blocked = new Set<string>();
  const endedSessions: string[] = [];
  const temporaryPasswords = new Map<string, string>();
  const authenticators = new Set<string>();
  const fault: { error?: unknown } = {};
  const withPassword = new Set<string>();
  const known = (name: string) => people.get(name) ?? [...people.values()].find(({ username }) => username === name);
  const setAddress = (username: string, email: string): void => {
    const person = known(username)!;
    if (email.length > 128) throw new InvalidInput(refusedAddress);
    if (known(email) && known(email) !== person) throw new AlreadyExists(addressOfAnother);
    people.delete(person.email ?? '');
    people.set(email, { ...person, email });
    if (withPassword.delete(person.email ?? '')) withPassword.add(email);
  };
  return {
    invitations,
    blocked,
    endedSessions,
    temporaryPasswords,
    authenticators,
    fault,
    async block(username) {
      if (fault.error !== undefined) throw fault.error;
      if (known(username)) blocked.add(username);
    },
    async release(username) {
      if (fault.error !== undefined) throw fault.error;
      if (!known(username)) return;
      blocked.add(username);
      setAddress(username, releasedAddress());
    },
    async reinstate(username, email) {
      if (fault.error !== undefined) throw fault.error;
      if (known(username) && email !== undefined) setAddress(username, email);
      blocked.delete(username);
    },
    async remove(username) {
      if (fault.error !== undefined) throw fault.error;
      const person = known(username);
      if (!person) return;
      people.delete(person.email ?? '');
      blocked.delete(person.username);
    },
    async resetPassword(username, temporaryPassword) {
      if (fault.error !== undefined) throw fault.error;
      const person = known(username);
      if (!person) throw new FailedPrecondition(unknownPerson);
      withPassword.delete(person.email ?? '');
      temporaryPasswords.set(username, temporaryPassword);
    },
    async secondFactors(username) {
      if (fault.error !== undefined) throw fault.error;
      return authenticators.has(username) ? ['AUTHENTICATOR_APP'] : [];
    },
    async removeSecondFactor(username, hasSignedIn) {
      if (fault.error !== undefined) throw fault.error;
      const person = known(username);
      if (!person) throw new FailedPrecondition(unknownPerson);
      if (mfa === 'off') throw new FailedPrecondition(noSecondFactors);
      const mustChoose = temporaryPasswords.has(username) && !withPassword.has(person.email ?? '');
      if ((hasSignedIn || authenticators.has(username)) && mustChoose) throw new FailedPrecondition(passwordToChoose);
      authenticators.delete(username);
    },
    async changeAddress(username, email) {
      if (fault.error !== undefined) throw fault.error;
      if (!known(username)) throw new FailedPrecondition(unknownPerson);
      setAddress(username, email);
    },
    async endSessions(username) {
      if (fault.error !== undefined) throw fault.error;
      if (known(username)) endedSessions.push(username);
    },
    find: async (name) => known(name),
    choosePassword: (email) => {
      withPassword.add(email);
    },
    async resendInvitation(email) {
      if (!known(email)) throw new FailedPrecondition(unknownPerson);
      if (withPassword.has(email)) throw new FailedPrecondition(invitationRefusals.passwordChosen);
      invitations.push(email);
    },
    async invite(email, invitation) {
      if (email.length > 128) throw new InvalidInput(refusedAddress);
      const existing = known(email);
      if (existing) return existing;
      const sub = randomUUID();
      const identity = { provider: 'cognito', sub, username: sub, email, groups: [] };
      people.set(email, identity);
      if (invitation) invitations.push(email);
      return identity;
    },
  };
};
