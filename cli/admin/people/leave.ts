import type { Account } from '../../../contract/admin/accounts.ts';
import type { Alias } from '../../../contract/admin/aliases.ts';
import { AdminApiError, type AdminClient } from '../../../contract/client.ts';
import { isIdOf } from '../../../contract/values/ids.ts';
import { localPartOf, parseEmailAddress } from '../../../contract/values/mail-address.ts';
import { shellWord } from '../../../contract/values/shell-word.ts';
import { whenBusy } from '../../../people/when-busy.ts';
import { usageError } from '../../terminal/cli-error.ts';
import { findAccount, findUser } from '../references.ts';

/** The fates of the mailbox of somebody who leaves. */
export const mailChoices = ['keep', 'forward-to-account', 'remove'] as const;
export type MailChoice = { readonly choice: 'keep' | 'remove' } | { readonly choice: 'forward-to-account'; readonly address: string };

type LeaveDependencies = { readonly client: AdminClient; readonly say: (text: string) => void };

/** The local part of the inactive address that a mailbox keeps when its others are given away: `ben.former`, `ben.former2`. */
const formerLocalPart = (primary: Alias, attempt: number): string => `${localPartOf(primary.email).slice(0, 50)}.former${attempt === 1 ? '' : attempt}`;

const isFormer = ({ email, is_active: isActive }: Alias): boolean => !isActive && /\.former\d*$/.test(localPartOf(email));

/**
 * Gives an account an inactive primary address of its own, so that its other addresses can be given away. It changes
 * nothing for an account that has one.
 * @returns the other addresses.
 */
const freeAddresses = async ({ client }: LeaveDependencies, { account_id }: Account): Promise<readonly Alias[]> => {
  const { aliases: present } = await client.aliases.ListAccountAliases({ account_id });
  const primary = present.find(({ is_primary: isPrimary }) => isPrimary)!;
  if (isFormer(primary)) return present.filter((alias) => alias !== primary);
  const { domain_id } = primary;
  for (let attempt = 1; ; attempt++) {
    const local_part = formerLocalPart(primary, attempt);
    const own = present.find((alias) => isFormer(alias) && localPartOf(alias.email) === local_part);
    try {
      const former = { account_id, local_part, domain_id, is_active: false, is_visible: false };
      const { alias_id } = own ?? (await client.aliases.CreateAlias(former)).alias;
      await whenBusy(() => client.aliases.SetPrimaryAlias({ alias_id }));
      return present.filter((alias) => alias !== own);
    } catch (error) {
      // Somebody else has the address, for example an earlier person of the same name.
      if (!(error instanceof AdminApiError) || error.code !== 'already_exists') throw error;
    }
  }
};

const named = ({ name, email }: Account): string => (name === email ? email : `${name} <${email}>`);

/** Ends the person's memberships in the mailboxes of others. */
const endMemberships = async ({ client, say }: LeaveDependencies, user_id: string, accounts: readonly Account[]): Promise<void> => {
  for (const account of accounts) {
    try {
      await whenBusy(() => client.accounts.DeleteAccountMember({ account_id: account.account_id, user_id }));
      say(`no member of ${named(account)} any more`);
    } catch (error) {
      if (!(error instanceof AdminApiError) || error.code !== 'failed_precondition') throw error;
      say(`still the last ADMIN of ${named(account)}: give somebody the role ADMIN, and run the command again`);
    }
  }
};

/** Somebody who is still there reads the account too. */
const isUsedByOthers = async ({ client }: LeaveDependencies, { account_id }: Account, user_id: string): Promise<boolean> => {
  const { members } = await client.accounts.ListAccountMembers({ account_id });
  return members.some((member) => member.user_id !== user_id && member.is_active);
};

const settleMail = async (dependencies: LeaveDependencies, account: Account, user_id: string, mail: MailChoice): Promise<void> => {
  const { client, say } = dependencies;
  if (mail.choice === 'keep') {
    return say(
      `the mailbox ${named(account)} is kept, and goes on receiving. ` +
        `Give it to somebody: accounts PutAccountMember --account ${shellWord(account.email)} --user PERSON --role ADMIN`,
    );
  }
  if (await isUsedByOthers(dependencies, account, user_id)) return say(`the mailbox ${named(account)} is kept, because others use it too`);
  if (mail.choice !== 'forward-to-account') {
    await client.accounts.DeleteAccount({ account_id: account.account_id });
    return say(`the mailbox ${named(account)} is deleted. accounts RestoreAccount brings it back for a time`);
  }
  const target = await findAccount(client, mail.address);
  if (target.account_id === account.account_id) throw usageError(`${mail.address} is an address of the person who leaves`);
  const moved = await freeAddresses(dependencies, account);
  for (const { alias_id, email } of moved) {
    await whenBusy(() => client.aliases.MoveAlias({ alias_id, account_id: target.account_id }));
    say(`mail for ${email} is delivered to ${named(target)} from now on`);
  }
  return say(`the mail that ${account.name} received is kept in the mailbox, which receives no more`);
};

/**
 * Deletes a person, ends their memberships and settles what becomes of their own mailboxes. The next call completes an
 * interrupted one.
 * @throws CliError for an unknown person or address; AdminApiError when a step is refused, such as the last admin.
 */
export const leave = async (dependencies: LeaveDependencies, person: string, mail: MailChoice): Promise<void> => {
  const { client, say } = dependencies;
  const user = await findUser(client, person);
  if (mail.choice === 'forward-to-account') await findAccount(client, mail.address);
  const { user_id, name } = user;
  const { own_accounts: own, other_accounts: others } = await whenBusy(() => client.users.DeleteUser({ user_id }));
  say(`${name} is deleted: signed out everywhere, and cannot sign in any more. users RestoreUser --user ${user_id} brings them back for a time`);
  await endMemberships(dependencies, user_id, others);
  for (const account of own) await settleMail(dependencies, account, user_id, mail);
  if (own.length === 0) say('there is no mailbox of theirs');
};

/**
 * Frees an address of a mailbox whose owner left, so that somebody new can get it. The mailbox keeps its mail and an
 * inactive address.
 * @param isSure whether the address of a mailbox is freed that nobody left.
 * @throws CliError for an address that no account has, and for a mailbox that nobody left.
 */
export const release = async (dependencies: LeaveDependencies, text: string, isSure: boolean): Promise<void> => {
  const { client, say } = dependencies;
  const address = parseEmailAddress(text);
  if (address === undefined) throw usageError(`people release takes an address, not '${text}'`);
  const account = await findAccount(client, address);
  const { members } = await client.accounts.ListAccountMembers({ account_id: account.account_id });
  const present = members
    .filter(({ is_active: isActive }) => isActive)
    .map(({ name }) => name)
    .toSorted();
  const gone = members.filter((member) => !member.is_active && isIdOf('user', member.user_id));
  const users = await Promise.all(gone.map(({ user_id }) => client.users.GetUser({ user_id })));
  if (!isSure && present.length > 0 && !users.some(({ user }) => user.is_deleted)) {
    throw usageError(
      `nobody of the mailbox ${named(account)} has left: ${present.join(', ')} would lose the address, but not the mail. ` +
        `If that is meant: postrider-admin people release ${shellWord(address)} --yes`,
    );
  }
  const freed = await freeAddresses(dependencies, account);
  const wanted = freed.find(({ email }) => email === address);
  if (!wanted) throw usageError(`${address} is no address of ${named(account)} by its own name`);
  await client.aliases.DeleteAlias({ alias_id: wanted.alias_id });
  say(`${address} is free. The mailbox '${account.name}' keeps its mail and its members`);
};
