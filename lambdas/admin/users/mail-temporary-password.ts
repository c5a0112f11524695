import { randomInt } from 'node:crypto';
import type { User } from '../../../contract/admin/users.ts';
import type { Invitation } from '../../../contract/oauth/first-sign-in.ts';
import { isolated } from '../../../contract/values/isolated.ts';
import { MailRefused } from '../../../core/aws/ses/ses-mail-sender.ts';
import type { SystemMailSender } from '../../../core/aws/ses/ses-system-mail.ts';
import type { Addresses } from '../../../core/directory/aliases/addresses.ts';
import { signInAddressOf } from '../../../core/directory/users/sign-ins.ts';
import { temporaryPasswordMail, type SignInDeployment } from '../../../core/directory/users/temporary-password-mail.ts';
import type { Caller } from '../../../core/rpc/admin-gate.ts';
import { RpcError } from '../../../core/rpc/rpc-error.ts';
import { FailedPrecondition, Unavailable } from '../../../core/runtime/domain-errors.ts';

/** Characters of a temporary password, without those that look like others on paper. */
const alphabet = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const [groups, groupLength] = [4, 4];

/** A random password of 92 bits. It has characters of each class that the user pool requires; the hyphen is a symbol. */
export const temporaryPassword = (): string => {
  const group = (): string => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const password = Array.from({ length: groups }, group).join('-');
  return [/[a-z]/, /[A-Z]/, /[0-9]/].every((required) => required.test(password)) ? password : temporaryPassword();
};

/** Where people sign in, and the address from which they are invited. */
export type SignInPlaces = SignInDeployment & {
  readonly mailFrom: string;
  readonly sessionUrl: string;
  readonly webmailUrl?: string;
  readonly consoleUrl: string;
};

export type PasswordMailDependencies = { readonly addresses: Pick<Addresses, 'find'>; readonly signIn: SignInPlaces; readonly systemMail: SystemMailSender };

/** The facts of the caller's invitation to a user. */
export const invitationBy = (
  { email, name }: Caller,
  { sessionUrl, webmailUrl, consoleUrl }: SignInPlaces,
  { is_admin: isAdmin }: Pick<User, 'is_admin'>,
): Invitation => ({
  ...(email !== undefined && { inviter: name === undefined || name === email ? email : `${isolated(name)} (${email})` }),
  sessionUrl,
  ...(webmailUrl !== undefined && { webmailUrl }),
  ...(isAdmin && { consoleUrl }),
});

/** Finds whether an `invitation_email` is at a domain that is received here; undefined without one. */
export const findIsReceived = async ({ addresses }: Pick<PasswordMailDependencies, 'addresses'>, to: string | undefined): Promise<boolean | undefined> =>
  to === undefined ? undefined : (await addresses.find(to)).isDomainReceiving;

/** Requires an `invitation_email` outside. @throws RpcError invalid_argument. */
export const requireOutside = (isReceived: boolean | undefined): void => {
  if (isReceived) {
    throw new RpcError(
      'invalid_argument',
      'invitation_email is at a domain that this deployment receives, where others may read the mail; ' +
        'give an address outside, or hand over the temporary password yourself',
    );
  }
};

/**
 * Mails a temporary password to a private address, which is kept nowhere.
 * @param done the part of the call that is done, for the error.
 * @throws FailedPrecondition when SES refuses the mail; Unavailable when it is not known to be sent.
 */
export const mailTemporaryPassword = async (
  { signIn, systemMail }: Omit<PasswordMailDependencies, 'addresses'>,
  caller: Caller,
  user: User,
  { to, password, isReset, done }: { readonly to: string; readonly password: string; readonly isReset: boolean; readonly done: string },
): Promise<void> => {
  const address = signInAddressOf(user) ?? user.user_id;
  const content = temporaryPasswordMail(signIn, invitationBy(caller, signIn, user), { address, temporaryPassword: password, isReset });
  try {
    await systemMail.send({ from: signIn.mailFrom, to, replyTo: caller.email, ...content });
  } catch (error) {
    const next = 'call users/ResetPassword without invitation_email, and hand over the temporary password yourself';
    if (error instanceof MailRefused) {
      // The audit log keeps the message, so that it must not name the address.
      const reason = error.message.includes('@') ? 'SES refuses it' : error.message;
      throw new FailedPrecondition(`${done}, but the mail could not be sent: ${reason}; ${next}`);
    }
    throw new Unavailable(`${done}, but the mail may not have been sent; try users/ResetPassword again, or ${next}`, { cause: error });
  }
};
