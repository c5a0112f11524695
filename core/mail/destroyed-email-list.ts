import type { Clock } from '../runtime/clock.ts';
import type { Page } from '../storage/page.ts';
import type { Table } from '../storage/table.ts';
import { decodeDestruction, destructionsOf, type Destruction, readRecoverableEmails, type RecoverableEmail } from './email/recoverable-email.ts';

/** A destroyed Email in a list. */
export type ListedEmail = RecoverableEmail & Pick<Destruction, 'destroyedAt' | 'principalId'>;

/** The period in which the Emails were destroyed: from `since` (inclusive) to `until` (exclusive), in ISO 8601. */
export type DestructionPeriod = { readonly since?: string | undefined; readonly until?: string | undefined };

export type DestroyedEmailReader = { readonly table: Table; readonly clock: Clock };

/** Maximum items of destroyed Emails that one query reads. Each item lists the Emails of one commit. */
const destructionsAtOnce = 25;
/** Maximum Emails that are read for one page. It limits the cost when most listed Emails were restored. */
const maxExamined = 2000;

/** A position in the list: after the first `count` Emails of a {@link Destruction}. */
type Place = { readonly name: string; readonly count: number };

const encodePlace = ({ name, count }: Place): string => `${name}/${count}`;
const decodePlace = (position: string): Place => {
  const end = position.lastIndexOf('/');
  return { name: position.slice(0, end), count: Number(position.slice(end + 1)) };
};

/** The smallest text after this one, so that a query with an exclusive upper bound includes this text. */
const justAfter = (text: string): string => `${text}\u0000`;

/**
 * Destroyed Emails that can be restored, newest destruction first.
 * @param after the position before the first Email of the page. A page may have fewer than `size` Emails although there
 * is a next page.
 */
export const listDestroyedEmails = async (
  { table, clock }: DestroyedEmailReader,
  accountId: string,
  { since = '', until }: DestructionPeriod,
  after: string | undefined,
  size: number,
): Promise<Page<ListedEmail>> => {
  const place = after === undefined ? undefined : decodePlace(after);
  const found: { readonly email: ListedEmail; readonly place: Place }[] = [];
  let examined = 0;
  for (let before = place ? justAfter(place.name) : until; ;) {
    const items = await table.query({ pk: destructionsOf(accountId), before, descending: true, limit: destructionsAtOnce });
    const destructions = items.map(decodeDestruction).filter(({ name }) => name >= since);
    const places = destructions
      .flatMap(({ emailIds, ...destruction }) => emailIds.map((id, index) => ({ id, destruction, place: { name: destruction.name, count: index + 1 } })))
      .filter(({ place: { name, count } }) => name !== place?.name || count > place.count);
    const emails = new Map(
      (
        await readRecoverableEmails(
          table,
          accountId,
          places.map(({ id }) => id),
          clock(),
        )
      ).map((email) => [email.id, email]),
    );
    for (const each of places) {
      const email = emails.get(each.id);
      // An Email that was restored and destroyed again is only in the list of its last destruction.
      if (email?.destruction !== each.destruction.name) continue;
      const { destroyedAt, principalId } = each.destruction;
      found.push({ email: { ...email, destroyedAt, principalId }, place: each.place });
    }
    examined += places.length;
    const last = found[size - 1];
    if (found.length > size && last) return { items: found.slice(0, size).map(({ email }) => email), next: encodePlace(last.place) };
    const end = places.at(-1);
    if (destructions.length < destructionsAtOnce) return { items: found.map(({ email }) => email), next: undefined };
    if (end && examined >= maxExamined) return { items: found.map(({ email }) => email), next: encodePlace(end.place) };
    before = items.at(-1)!.sk;
  }
};
