import type { PostConfirmationTriggerEvent } from 'aws-lambda';
import { systemActions, type Actor } from '../../contract/admin/audit.ts';
import type { IdentityProvider } from '../../core/aws/identity-provider.ts';
import type { StoredUser, Users } from '../../core/directory/users/users.ts';
import { openAudit, type AuditDependencies } from '../../core/rpc/audit.ts';
import { toRpcError } from '../../core/rpc/rpc-error.ts';

type Dependencies = {
  readonly users: Pick<Users, 'findBySub' | 'revokeTokens'>;
  readonly identityProviderOf: (userPoolId: string) => Pick<IdentityProvider, 'endSessions'>;
  readonly audit: AuditDependencies;
  readonly pause: (milliseconds: number) => Promise<unknown>;
};

/** The person, who needs no token to choose a new password. */
const actorOf = ({ user_id: id, primary_email: email }: StoredUser): Actor => ({
  actor_type: 'USER',
  actor_id: id,
  user_id: id,
  ...(email !== undefined && { username: email, email }),
});

/**
 * Cognito's post-confirmation trigger. When a person has chosen a new password with a code, all earlier sign-ins end.
 * The page signs the person in afterwards, and the times of sign-ins have whole seconds, so that the trigger ends with
 * the second of the revocation.
 * @throws when sessions could not be ended; the page then shows an error, and the person repeats the reset.
 */
export const endOldSessions =
  ({ users, identityProviderOf, audit, pause }: Dependencies) =>
  async (event: PostConfirmationTriggerEvent): Promise<PostConfirmationTriggerEvent> => {
    if (event.triggerSource !== 'PostConfirmation_ConfirmForgotPassword') return event;
    const {
      userName,
      userPoolId,
      callerContext: { clientId },
      request: {
        userAttributes: { sub },
      },
    } = event;
    const user = await users.findBySub(sub ?? userName);
    if (!user) {
      // Only people in the directory have tokens with rights.
      await identityProviderOf(userPoolId).endSessions(userName);
      return event;
    }
    const entry = await openAudit(audit, systemActions.confirmForgotPassword, actorOf(user), user.user_id);
    entry.describe({ entity_name: user.name, metadata: { client_id: clientId } });
    try {
      const now = audit.clock();
      await users.revokeTokens(user, now, entry.pendingWrites());
      await Promise.all([identityProviderOf(userPoolId).endSessions(userName), pause(1000 - (now.getTime() % 1000))]);
      await entry.recordSuccess();
    } catch (error) {
      await entry.recordFailure(toRpcError(error));
      throw error;
    }
    return event;
  };
