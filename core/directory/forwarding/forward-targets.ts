import { directoryKeys } from '../../../contract/deployment/keys.ts';
import { NotFound, FailedPrecondition } from '../../runtime/domain-errors.ts';
import type { Table } from '../../storage/table.ts';
import { accountRow } from '../account-row.ts';
import type { Addresses, FoundAddress } from '../aliases/addresses.ts';
import { sendingRightsIn, sendRefusalText } from '../aliases/may-send.ts';
import type { ForwardTarget } from './forwardings.ts';

type Settings = {
  readonly addresses: Pick<Addresses, 'findAll'>;
  /** Whether accounts may forward to addresses outside. */
  readonly mayForwardOutside: boolean;
};

/** The reason for which an account cannot forward to an address. */
const targetProblem = (given: string, found: FoundAddress, accountId: string, { mayForwardOutside }: Settings): string | undefined => {
  const { group, stored, isCatchAll, isDomainReceiving } = found;
  if (stored && !stored.isRemoved && stored.accountId === accountId) return `${given} is an address of the account itself`;
  if (!isDomainReceiving) return mayForwardOutside ? undefined : `this deployment does not forward mail to addresses outside, such as ${given}`;
  if (group && !isCatchAll) return `${given} is a group; add the account to the group instead`;
  return stored && !stored.isRemoved && stored.isActive ? undefined : `nobody here receives mail for ${given}`;
};

/**
 * Finds the addresses to which an account would forward, each once. Those at domains that do not receive mail here are outside.
 * @throws NotFound (account), FailedPrecondition with the reason for which it can't forward to one of them.
 */
export const findForwardTargets = async (table: Table, accountId: string, emails: readonly string[], settings: Settings): Promise<ForwardTarget[]> => {
  const [found, account] = await Promise.all([settings.addresses.findAll(emails), table.get(directoryKeys.account(accountId))]);
  if (!account) throw new NotFound('account');
  const problem = [...found].map(([given, each]) => targetProblem(given, each, accountId, settings)).find((each) => each !== undefined);
  if (problem !== undefined) throw new FailedPrecondition(problem);
  const targets = [...found.values()].map(({ email, stored, isDomainReceiving }): ForwardTarget => {
    const isHere = isDomainReceiving && stored !== undefined;
    return isHere ? { email, account_id: stored.accountId } : { email };
  });
  if (targets.some(({ account_id: here }) => here === undefined)) {
    const [refusal] = await sendingRightsIn(table).refusals([{ accountId, email: accountRow(account).email }]);
    if (refusal !== undefined)
      throw new FailedPrecondition(`mail for addresses outside is sent from the primary address of the account. ${sendRefusalText[refusal]}`);
  }
  // Two addresses of one account get one copy.
  return [...new Map(targets.map((target) => [target.account_id ?? target.email, target])).values()];
};
