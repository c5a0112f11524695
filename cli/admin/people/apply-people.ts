import { AdminApiError, type AdminClient } from '../../../contract/client.ts';
import { localPartOf } from '../../../contract/values/mail-address.ts';
import { mapConcurrently } from '../../jmap/map-concurrently.ts';
import { CliError, exitCodes } from '../../terminal/cli-error.ts';
import { findAccount } from '../references.ts';
import { callsAtOnce, whenBusy } from './deployment-people.ts';
import type { InvitationSheet } from './invitation-sheet.ts';
import { sharedMailboxName, stepWords, type PersonPlan, type Step } from './plan-people.ts';

type ApplyDependencies = {
  readonly client: AdminClient;
  readonly sheet: InvitationSheet | undefined;
  /** Says what became of a person. */
  readonly say: (text: string) => void;
  readonly pause: (milliseconds: number) => Promise<void>;
};

/** The ids of a person, which the first steps make. */
type Ids = { user_id?: string | undefined; account_id?: string | undefined };

/** The steps that need other people's mailboxes come after everybody's own. */
const isShared = ({ kind }: Step): boolean => kind === 'shared-mailbox' || kind === 'role';

const password = async ({ client, sheet }: ApplyDependencies, { row, user }: PersonPlan, step: Step, ids: Ids): Promise<void> => {
  if (step.kind !== 'invite' && step.kind !== 'password') return;
  const { email, display_name, invitation_email } = row;
  const toPrivate = step.way === 'private address' ? { invitation_email } : {};
  let made: { readonly temporary_password?: string | undefined };
  if (step.kind === 'invite') {
    const created = await client.users.CreateUser({
      email, ...(display_name !== undefined && { display_name }), ...toPrivate, return_temporary_password: step.way === 'sheet',
    });
    ids.user_id = created.user.user_id;
    made = created;
  } else made = await client.users.ResetPassword({ user_id: ids.user_id!, ...toPrivate });
  if (made.temporary_password === undefined) return;
  await sheet?.add({ name: display_name ?? user?.name ?? email, email, password: made.temporary_password });
};

/** Makes one step by one call. */
const perform = async (dependencies: ApplyDependencies, plan: PersonPlan, step: Step, ids: Ids): Promise<void> => {
  const { client } = dependencies;
  const { row } = plan;
  const user_id = ids.user_id!;
  switch (step.kind) {
    case 'invite':
    case 'password':
      return password(dependencies, plan, step, ids);
    case 'rename':
      return void await client.users.UpdateUser({ user_id, display_name: step.display_name });
    case 'admin':
      return void await client.users.UpdateUser({ user_id, is_admin: step.is_admin });
    case 'mailbox': {
      const { email, domain_id } = step;
      const name = row.display_name ?? plan.user?.name ?? email;
      const { account } = await client.accounts.CreateAccount({ user_id, name, local_part: localPartOf(email), domain_id });
      ids.account_id = account.account_id;
      return undefined;
    }
    case 'alias': {
      const { email, domain_id, can_send_from } = step;
      const alias = { account_id: ids.account_id!, local_part: localPartOf(email), domain_id, can_send_from };
      return void await client.aliases.CreateAlias(alias);
    }
    case 'shared-mailbox': {
      const { email, domain_id } = step;
      const account = { user_id, name: sharedMailboxName(email), local_part: localPartOf(email), domain_id };
      return void await client.accounts.CreateAccount(account);
    }
    case 'role': {
      const { account_id } = await findAccount(client, step.email);
      return void await client.accounts.PutAccountMember({ account_id, user_id, role: step.role });
    }
  }
};

/** The errors after which no other call would succeed either. */
const endsAll = (error: unknown): boolean => {
  if (error instanceof CliError) return error.exitCode === exitCodes.signIn;
  return !(error instanceof AdminApiError) || error.code === 'unauthenticated' || error.code === 'permission_denied';
};

/**
 * Makes the steps of all people, and says for each what was made. A step that is refused ends the steps of that person
 * only.
 * @returns the number of people with a refused step.
 * @throws the error of a call that cannot be made at all. What was made stays; the next run goes on.
 */
export const applyPeople = async (dependencies: ApplyDependencies, people: readonly PersonPlan[]): Promise<number> => {
  const { say, pause } = dependencies;
  const changing = people.filter(({ steps }) => steps.length > 0);
  const ids = new Map<PersonPlan, Ids>(
    changing.map((plan) => [plan, { user_id: plan.user?.user_id, account_id: plan.account?.account_id }]),
  );
  const refused = new Set<PersonPlan>();
  const run = async (plan: PersonPlan, wanted: (step: Step) => boolean): Promise<void> => {
    const steps = plan.steps.filter(wanted);
    if (steps.length === 0 || refused.has(plan)) return;
    const made: string[] = [];
    const report = (rest: string): void => say(`line ${plan.row.line}: ${plan.row.email}: ${[...made, rest].filter(Boolean).join('; ')}`);
    try {
      for (const step of steps) {
        await whenBusy(() => perform(dependencies, plan, step, ids.get(plan)!), pause);
        made.push(stepWords(step));
      }
      report(plan.hint ?? '');
    } catch (error) {
      refused.add(plan);
      report(`FAILED: ${stepWords(steps[made.length]!)}: ${(error as Error).message}`);
      if (endsAll(error)) throw error;
    }
  };
  await mapConcurrently(changing, callsAtOnce, (plan) => run(plan, (step) => !isShared(step)));
  await mapConcurrently(changing, callsAtOnce, (plan) => run(plan, ({ kind }) => kind === 'shared-mailbox'));
  await mapConcurrently(changing, callsAtOnce, (plan) => run(plan, ({ kind }) => kind === 'role'));
  return refused.size;
};
