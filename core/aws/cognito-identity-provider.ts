import {
  AdminCreateUserCommand,
  AdminDeleteSoftwareTokenCommand,
  AdminDeleteUserCommand,
  AdminDisableUserCommand,
  AdminEnableUserCommand,
  AdminGetUserCommand,
  AdminSetUserMFAPreferenceCommand,
  AdminSetUserPasswordCommand,
  AdminUpdateUserAttributesCommand,
  AdminUserGlobalSignOutCommand,
  AliasExistsException,
  CodeDeliveryFailureException,
  CognitoIdentityProviderClient,
  InvalidParameterException,
  OperationNotEnabledException,
  UnsupportedUserStateException,
  UserLambdaValidationException,
  UsernameExistsException,
  UserNotConfirmedException,
  UserNotFoundException,
  type AttributeType,
} from '@aws-sdk/client-cognito-identity-provider';
import type { SecondFactor } from '../../contract/admin/users.ts';
import type { Invitation } from '../../contract/oauth/first-sign-in.ts';
import { AlreadyExists, FailedPrecondition, InvalidInput, Unavailable } from '../runtime/domain-errors.ts';
import { namingErrors, clientTimeouts } from '../runtime/sdk-client.ts';
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
} from './identity-provider.ts';
import { valueOnError } from './provider-errors.ts';

const identityOf = (username: string | undefined, attributes: readonly AttributeType[] = []): IdpIdentity => {
  const attribute = (name: string) => attributes.find(({ Name }) => Name === name)?.Value;
  const sub = attribute('sub');
  if (!sub || !username) throw new Error('the identity provider returned no sub');
  return { provider: 'cognito', sub, username, email: attribute('email'), groups: [] };
};

/** Awaits a call. @returns undefined when the user does not exist. */
const undefinedWithoutUser = <T>(call: Promise<T>): Promise<T | undefined> => valueOnError(UserNotFoundException, undefined, call);

const undeliveredInvitation = (): Unavailable => new Unavailable('the invitation could not be sent; try again later');

/** The attributes of a verified address. An unverified one would get a code. */
const verified = (email: string): AttributeType[] => [
  { Name: 'email', Value: email },
  { Name: 'email_verified', Value: 'true' },
];

type UserPool = { readonly client: CognitoIdentityProviderClient; readonly userPoolId: string };

const find = async ({ client, userPoolId }: UserPool, name: string): Promise<IdpIdentity | undefined> => {
  const user = await undefinedWithoutUser(client.send(new AdminGetUserCommand({ UserPoolId: userPoolId, Username: name })));
  return user && identityOf(user.Username, user.UserAttributes);
};

const endSessions = async ({ client, userPoolId }: UserPool, username: string): Promise<void> => {
  await undefinedWithoutUser(client.send(new AdminUserGlobalSignOutCommand({ UserPoolId: userPoolId, Username: username })));
};

const block = async (pool: UserPool, username: string): Promise<void> => {
  const { client, userPoolId } = pool;
  await undefinedWithoutUser(client.send(new AdminDisableUserCommand({ UserPoolId: userPoolId, Username: username })));
  // Sessions are ended after the block, so that no session begins in between.
  await endSessions(pool, username);
};

/** @returns whether the provider knows the person. */
const setAddress = async ({ client, userPoolId }: UserPool, username: string, email: string): Promise<boolean> => {
  const command = new AdminUpdateUserAttributesCommand({ UserPoolId: userPoolId, Username: username, UserAttributes: verified(email) });
  try {
    return (await undefinedWithoutUser(client.send(command))) !== undefined;
  } catch (error) {
    if (error instanceof AliasExistsException) throw new AlreadyExists(addressOfAnother);
    if (error instanceof InvalidParameterException) throw new InvalidInput(refusedAddress);
    throw error;
  }
};

const resetPassword = async ({ client, userPoolId }: UserPool, username: string, temporaryPassword: string): Promise<void> => {
  const isReset = await undefinedWithoutUser(
    client.send(new AdminSetUserPasswordCommand({ UserPoolId: userPoolId, Username: username, Password: temporaryPassword, Permanent: false })),
  );
  if (!isReset) throw new FailedPrecondition(unknownPerson);
};

const factorNames = new Map<string, SecondFactor>([
  ['SOFTWARE_TOKEN_MFA', 'AUTHENTICATOR_APP'],
  ['WEB_AUTHN_MFA', 'PASSKEY'],
]);

const secondFactors = async ({ client, userPoolId }: UserPool, username: string): Promise<readonly SecondFactor[]> => {
  const command = new AdminGetUserCommand({ UserPoolId: userPoolId, Username: username });
  const found = await undefinedWithoutUser(client.send(command, { abortSignal: AbortSignal.timeout(2000) }));
  return (found?.UserMFASettingList ?? []).flatMap((name) => factorNames.get(name) ?? []);
};

const removeSecondFactor = async ({ client, userPoolId }: UserPool, username: string, hasSignedIn: boolean): Promise<void> => {
  const person = { UserPoolId: userPoolId, Username: username };
  const found = await undefinedWithoutUser(client.send(new AdminGetUserCommand(person)));
  if (!found) throw new FailedPrecondition(unknownPerson);
  try {
    // A passkey needs another factor beside it, and the lost phone may have one.
    if (found.UserMFASettingList?.includes('WEB_AUTHN_MFA')) {
      await client.send(new AdminSetUserMFAPreferenceCommand({ ...person, WebAuthnMfaSettings: { Enabled: false } }));
    }
    await client.send(new AdminDeleteSoftwareTokenCommand(person));
  } catch (error) {
    if (error instanceof UserNotFoundException) throw new FailedPrecondition(unknownPerson);
    if (error instanceof OperationNotEnabledException) throw new FailedPrecondition(noSecondFactors);
    // The list does not always have an app that the sign-in page has set up.
    const mayHaveApp = hasSignedIn || found.UserMFASettingList?.includes('SOFTWARE_TOKEN_MFA');
    if (error instanceof UserNotConfirmedException) {
      if (mayHaveApp) throw new FailedPrecondition(passwordToChoose);
      return;
    }
    // The API reference does not say what the answer is for a person without an app.
    if (error instanceof InvalidParameterException && !found.UserMFASettingList?.length) return;
    throw error;
  }
};

const remove = async ({ client, userPoolId }: UserPool, username: string): Promise<void> => {
  await undefinedWithoutUser(client.send(new AdminDeleteUserCommand({ UserPoolId: userPoolId, Username: username })));
};

const create = async ({ client, userPoolId }: UserPool, email: string, invitation: Invitation | undefined): Promise<IdpIdentity> => {
  const { User: user } = await client.send(
    new AdminCreateUserCommand({
      UserPoolId: userPoolId,
      Username: email,
      UserAttributes: verified(email),
      ...(invitation ? { DesiredDeliveryMediums: ['EMAIL'] as const, ClientMetadata: { ...invitation } } : { MessageAction: 'SUPPRESS' as const }),
    }),
  );
  return identityOf(user?.Username, user?.Attributes);
};

const invite = async (pool: UserPool, email: string, invitation: Invitation | undefined): Promise<IdpIdentity> => {
  try {
    return await create(pool, email, invitation);
  } catch (error) {
    if (error instanceof UsernameExistsException) {
      const existing = await find(pool, email);
      if (existing) return existing;
    }
    if (error instanceof InvalidParameterException) throw new InvalidInput(refusedAddress);
    if (error instanceof CodeDeliveryFailureException) {
      // The user was never sent a password. After the deletion the next call can invite them again.
      await remove(pool, email);
      throw undeliveredInvitation();
    }
    throw error;
  }
};

const resendInvitation = async ({ client, userPoolId }: UserPool, email: string, invitation: Invitation): Promise<void> => {
  try {
    await client.send(
      new AdminCreateUserCommand({
        UserPoolId: userPoolId,
        Username: email,
        MessageAction: 'RESEND',
        DesiredDeliveryMediums: ['EMAIL'],
        ClientMetadata: { ...invitation },
      }),
    );
  } catch (error) {
    if (error instanceof UnsupportedUserStateException) throw new FailedPrecondition(invitationRefusals.passwordChosen);
    if (error instanceof UserNotFoundException) throw new FailedPrecondition(unknownPerson);
    if (error instanceof UserLambdaValidationException) throw new FailedPrecondition(invitationRefusals.receivedHere);
    if (error instanceof CodeDeliveryFailureException) throw undeliveredInvitation();
    throw error;
  }
};

/** {@link IdentityProvider} in a Cognito user pool in which people sign in with their address. */
export const cognitoIdentityProvider = (userPoolId: string, client = namingErrors(new CognitoIdentityProviderClient(clientTimeouts))): IdentityProvider => {
  const pool: UserPool = { client, userPoolId };
  return {
    find: (name) => find(pool, name),
    block: (username) => block(pool, username),
    async release(username) {
      await block(pool, username);
      await setAddress(pool, username, releasedAddress());
    },
    async reinstate(username, email) {
      if (email !== undefined) await setAddress(pool, username, email);
      await undefinedWithoutUser(client.send(new AdminEnableUserCommand({ UserPoolId: userPoolId, Username: username })));
    },
    endSessions: (username) => endSessions(pool, username),
    resetPassword: (username, temporaryPassword) => resetPassword(pool, username, temporaryPassword),
    secondFactors: (username) => secondFactors(pool, username),
    removeSecondFactor: (username, hasSignedIn) => removeSecondFactor(pool, username, hasSignedIn),
    async changeAddress(username, email) {
      if (!(await setAddress(pool, username, email))) throw new FailedPrecondition(unknownPerson);
    },
    remove: (username) => remove(pool, username),
    resendInvitation: (email, invitation) => resendInvitation(pool, email, invitation),
    invite: (email, invitation) => invite(pool, email, invitation),
  };
};
