import type { Similar } from '../../contract/admin/accounts.ts';
import { directoryKeys } from '../../contract/deployment/keys.ts';
import { findItemIn, type Table } from '../storage/table.ts';
import { accountRow } from './account-row.ts';
import { removalOf } from './accounts/account-removals.ts';
import { aliasOf } from './aliases/aliases.ts';
import { readNear, searchedWords, type NearEntry } from './listings.ts';
import { storedUserOf } from './users/users.ts';

/** The lists that are searched. The addresses of accounts are among the aliases. */
const kinds = ['user', 'alias'] as const;
/** Entries that are compared, letters of each, words of a text that may have the slip, and objects that are returned. */
const [maxCompared, maxLetters, maxWords, maxReturned] = [200, 64, 2, 5];

/** The letters that were changed, left out, added, or exchanged with the next one. */
export const slipsBetween = (one: string, other: string): number => {
  let [above, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isExchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          last[column]! + 1,
          current[column - 1]! + 1,
          last[column - 1]! + Number(one[row - 1] !== other[column - 1]),
          isExchanged ? above[column - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [above, last] = [last, current];
  }
  return last[other.length]!;
};

const partsOf = (address: string): readonly [local: string, domain: string] => {
  const at = address.indexOf('@');
  return at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at + 1)];
};

/** The distance of a word from the typed one; undefined when it is not close. The typed domain may be the beginning of one. */
const distanceTo = (typed: string, word: string): number | undefined => {
  const [[local, domain], [foundLocal, foundDomain]] = [partsOf(typed), partsOf(word)];
  const compared = typed.includes('@') ? `${foundLocal}@${foundDomain.slice(0, domain.length)}` : word;
  const allowed = typed.length < 3 ? 0 : typed.length < 6 ? 1 : 2;
  const slips = Math.abs(typed.length - compared.length) > allowed ? allowed + 1 : slipsBetween(typed.slice(0, maxLetters), compared.slice(0, maxLetters));
  if (slips <= allowed) return slips;
  return typed.includes('@') && local !== '' && local === foundLocal ? allowed + 1 : undefined;
};

type Candidate = NearEntry & { readonly kind: (typeof kinds)[number]; readonly distance: number };

/** Finds entries with a word that is close to one of the longest of a text, and with the beginnings of its other words. */
const findCandidates = async (table: Pick<Table, 'query'>, query: string): Promise<Candidate[]> => {
  const words = searchedWords(query);
  const tried = words.toSorted((one, other) => other.length - one.length).slice(0, maxWords);
  const size = Math.trunc(maxCompared / (2 * kinds.length * tried.length));
  const found = await Promise.all(
    tried.flatMap((typed) =>
      kinds.map(async (kind) => {
        const others = words.filter((word) => word !== typed);
        return (await readNear(table, kind, typed, size)).flatMap((entry): Candidate[] => {
          const distance = distanceTo(typed, entry.word);
          return distance !== undefined && others.every((word) => ` ${entry.words}`.includes(` ${word}`)) ? [{ ...entry, kind, distance }] : [];
        });
      }),
    ),
  );
  const closestFirst = found.flat().toSorted((one, other) => one.distance - other.distance);
  return [...Map.groupBy(closestFirst, ({ kind, id }) => `${kind} ${id}`).values()].map(([closest]) => closest!).slice(0, maxReturned);
};

const keysOf = ({ kind, id, facts }: Candidate) => {
  const accountId = String(facts?.['account_id']);
  return kind === 'user' ? [directoryKeys.user(id)] : [directoryKeys.alias(id), directoryKeys.account(accountId), directoryKeys.accountRemoval(accountId)];
};

/** Finds users and addresses that are close to a text, the closest first, in two trips. */
export const findSimilarIn =
  (table: Pick<Table, 'query' | 'batchGet'>) =>
  async (query: string): Promise<Similar[]> => {
    const candidates = await findCandidates(table, query);
    const find = findItemIn(await table.batchGet(candidates.flatMap(keysOf)));
    const similar = candidates.flatMap((candidate): Similar[] => {
      const [item, account, removal] = keysOf(candidate).map(find);
      if (!item) return [];
      if (candidate.kind === 'user') {
        const { name, primary_email: email, is_active: isActive, is_deleted: isDeleted } = storedUserOf(item);
        return [{ name, email, user_id: candidate.id, state: isDeleted ? 'DELETED' : isActive ? 'ACTIVE' : 'INACTIVE' }];
      }
      const { email, account_id, is_active: isActive } = aliasOf(item);
      if (account) return [{ name: accountRow(account).name, email, account_id, state: isActive ? 'ACTIVE' : 'INACTIVE' }];
      return removal ? [{ name: removalOf(removal).name, email, account_id, state: 'DELETED' }] : [];
    });
    // Somebody else may have an address of a deleted account.
    const taken = new Set(similar.flatMap(({ account_id, email, state }) => (account_id !== undefined && state !== 'DELETED' ? [email] : [])));
    return similar.filter(({ account_id, email, state }) => account_id === undefined || state !== 'DELETED' || !taken.has(email));
  };
