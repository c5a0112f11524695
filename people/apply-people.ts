import { maxChangedMembers } from '../contract/admin/aliases.ts';
import { AdminApiError, callsAtOnce, type AdminClient } from '../contract/client.ts';
import { isMissingRole } from '../contract/rpc/admin-roles.ts';
import { localPartOf } from '../contract/values/mail-address.ts';
import { mapConcurrently } from '../contract/values/map-concurrently.ts';
import { sharedMailboxName, type GroupStep, type PasswordStep, type PersonPlan, type Step } from './plan-people.ts';
import { whenBusy } from './when-busy.ts';

type ApplyDependencies = {
  readonly client: AdminClient;
  /** Takes the temporary passwords that no mail brings. */
  readonly sheet?: { readonly add: (person: { readonly name: string; readonly email: string; readonly password: string }) => void } | undefined;
  /** Says what became of a person. Those with steps in several phases are reported several times. */
  readonly report: (plan: PersonPlan, outcome: StepsOutcome) => void;
};

/** The steps of a person that were made, and the one that was refused. */
export type StepsOutcome = { readonly made: readonly Step[]; readonly refused?: { readonly step: Step; readonly error: unknown } };

/** Thrown when the making of a shared mailbox was refused before. */
class MissingMailbox extends Error {
  override readonly name = 'MissingMailbox';
}

/** The ids of a person, which the first steps make. */
type Ids = { user_id?: string | undefined; account_id?: string | undefined };

/** A step that one call makes for one person. */
type OwnStep = Exclude<Step, GroupStep>;

/**
 * The kinds of steps, in the order in which those of all people are made: a role needs the mailbox that another person gets. The
 * memberships in groups follow, which need mailboxes.
 */
const phases: readonly (readonly OwnStep['kind'][])[] = [['invite', 'password', 'rename', 'admin', 'mailbox', 'alias'], ['shared-mailbox'], ['role']];

/** Makes a temporary password, and adds it to the sheet before anything else happens. */
const givePassword = async ({ client, sheet }: ApplyDependencies, { row, user }: PersonPlan, { kind, way }: PasswordStep, ids: Ids): Promise<void> => {
  const { email, display_name, invitation_email } = row;
  const toPrivate = way === 'private address' ? { invitation_email } : {};
  const invite = async () => {
    const created = await client.users.CreateUser({
      email,
      ...(display_name !== undefined && { display_name }),
      ...toPrivate,
      return_temporary_password: way === 'sheet',
    });
    ids.user_id = created.user.user_id;
    return created;
  };
  const reset = () => client.users.ResetPassword({ user_id: ids.user_id!, ...toPrivate });
  const { temporary_password: password } = await (kind === 'invite' ? invite() : reset());
  if (password !== undefined) sheet?.add({ name: display_name ?? user?.name ?? email, email, password });
};

/** Makes one step by one call. */
const perform = async (dependencies: ApplyDependencies, plan: PersonPlan, step: OwnStep, ids: Ids): Promise<void> => {
  const { client } = dependencies;
  const { row } = plan;
  const user_id = ids.user_id!;
  switch (step.kind) {
    case 'invite':
    case 'password':
      return givePassword(dependencies, plan, step, ids);
    case 'rename':
      return void (await client.users.UpdateUser({ user_id, display_name: step.display_name }));
    case 'admin':
      return void (await client.users.UpdateUser({ user_id, is_admin: step.is_admin }));
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
      return void (await client.aliases.CreateAlias(alias));
    }
    case 'shared-mailbox': {
      const { email, domain_id } = step;
      const account = { user_id, name: sharedMailboxName(email), local_part: localPartOf(email), domain_id };
      return void (await client.accounts.CreateAccount(account));
    }
    case 'role': {
      const { account } = await client.accounts.FindAddress({ address: step.email });
      if (!account) throw new MissingMailbox(`there is no mailbox ${step.email}`);
      return void (await client.accounts.PutAccountMember({ account_id: account.account_id, user_id, role: step.role }));
    }
  }
};

/** The errors after which no other call would succeed either. */
const endsAll = (error: unknown): boolean => {
  if (!(error instanceof AdminApiError)) return !(error instanceof MissingMailbox);
  return error.code === 'unauthenticated' || (error.code === 'permission_denied' && !isMissingRole(error.message));
};

/** A person who becomes a member of a group. */
type Joining = { readonly plan: PersonPlan; readonly step: GroupStep };

const joiningOf = (plan: PersonPlan): Joining[] => plan.steps.flatMap((step) => (step.kind === 'group' ? [{ plan, step }] : []));

/** Makes people members of a group by one call or, when that is refused, by one for each of them. */
const join = async (dependencies: ApplyDependencies, joining: readonly Joining[], refused: Set<PersonPlan>): Promise<void> => {
  const { client, report } = dependencies;
  const [first] = joining;
  if (!first) return;
  const addresses = joining.map(({ plan: { account, row } }) => account?.email ?? row.mail_address!);
  try {
    await whenBusy(() => client.aliases.AddGroupMembers({ group_id: first.step.group_id, addresses }));
    for (const { plan, step } of joining) report(plan, { made: [step] });
  } catch (error) {
    if (joining.length > 1 && !endsAll(error)) {
      for (const each of joining) await join(dependencies, [each], refused);
      return;
    }
    for (const { plan, step } of joining) {
      refused.add(plan);
      report(plan, { made: [], refused: { step, error } });
    }
    if (endsAll(error)) throw error;
  }
};

/**
 * Makes the steps of all people, and says for each what was made. A step that is refused ends the steps of that person
 * only.
 * @returns the number of people with a refused step.
 * @throws the error of a call that cannot be made at all. What was made stays; the next run goes on.
 */
export const applyPeople = async (dependencies: ApplyDependencies, people: readonly PersonPlan[]): Promise<number> => {
  const ids = new Map<PersonPlan, Ids>(people.map((plan) => [plan, { user_id: plan.user?.user_id, account_id: plan.account?.account_id }]));
  const refused = new Set<PersonPlan>();
  const run = async (plan: PersonPlan, phase: readonly OwnStep['kind'][]): Promise<void> => {
    const steps = plan.steps.filter((step) => step.kind !== 'group').filter(({ kind }) => phase.includes(kind));
    if (steps.length === 0 || refused.has(plan)) return;
    const made: Step[] = [];
    try {
      for (const step of steps) {
        await whenBusy(() => perform(dependencies, plan, step, ids.get(plan)!));
        made.push(step);
      }
      dependencies.report(plan, { made });
    } catch (error) {
      refused.add(plan);
      const [step] = steps.slice(made.length);
      dependencies.report(plan, { made, ...(step && { refused: { step, error } }) });
      if (endsAll(error)) throw error;
    }
  };
  for (const phase of phases) await mapConcurrently(people, callsAtOnce, (plan) => run(plan, phase));
  // One group after the other, because calls for the same people or the same group would wait for each other.
  for (const joining of Map.groupBy(people.flatMap(joiningOf), ({ step }) => step.group_id).values()) {
    const accepted = joining.filter(({ plan }) => !refused.has(plan));
    for (let from = 0; from < accepted.length; from += maxChangedMembers) {
      await join(dependencies, accepted.slice(from, from + maxChangedMembers), refused);
    }
  }
  return refused.size;
};
