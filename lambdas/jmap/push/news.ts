import { pushTypes, type StateChange } from '../../../contract/jmap/push.ts';
import type { AccountNews } from '../../../core/push/account-states.ts';
import { pushStateOf, toldBy, type Told } from '../../../core/push/push-state.ts';

/** What a client knows by its own word; nothing when it says none, or what never was a push state: it is told everything then. */
export const knownBy = (pushState: string | null | undefined, accountIds: readonly string[]): Told =>
  (typeof pushState === 'string' ? toldBy(pushState, accountIds) : undefined) ?? new Map();

/** Of the types that a client asked for, those that there are; null stays null, for all. Names that a server does not know are passed over (RFC 8620 §7.1). */
export const typesThere = (names: readonly string[] | null): readonly string[] | null => names && pushTypes.filter((type) => names.includes(type));

/** @param now where the client stands when it has read it; without it the client keeps the push state that it had. */
export const stateChange = (news: readonly Pick<AccountNews, 'accountId' | 'types'>[], now?: Told): StateChange =>
  ({ '@type': 'StateChange', changed: Object.fromEntries(news.map(({ accountId, types }) => [accountId, types])), ...(now && { pushState: pushStateOf(now) }) });
