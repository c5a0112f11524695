import { furtherLimits } from '../../../contract/jmap/core.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { MethodError } from '../protocol/errors.ts';
import type { QueryBehaviour, VerbAnswer } from './behaviour.ts';
import { decodeFilter, decodeSort } from './filter-and-sort.ts';

type Place = Pick<VerbArguments<'query'>, 'position' | 'anchor' | 'anchorOffset'>;

/** Where the window on the results begins (RFC 8620 §5.5): by an anchor if there is one, else by position, from the end if negative. */
const windowStart = ({ position, anchor, anchorOffset }: Place, matches: Pick<readonly string[], 'length' | 'indexOf'>): number => {
  if (anchor === null) return position < 0 ? Math.max(0, matches.length + position) : position;
  const at = matches.indexOf(anchor);
  if (at < 0) throw new MethodError('anchorNotFound', 'The anchor is not among the results.');
  return Math.max(0, at + anchorOffset);
};

/** RFC 8620 §5.5 */
export const query = <Args extends VerbArguments<'query'>>(type: RecordType, behaviour: QueryBehaviour<Args>): VerbAnswer<Args> => (args, account) => {
  const filter = args.filter === null ? undefined : decodeFilter(type, args.filter);
  const matches = behaviour.matches(account.view, filter, decodeSort(type, args.sort ?? []), args);
  const position = windowStart(args, matches);
  const limit = Math.min(args.limit ?? furtherLimits.maxIdsInQuery, furtherLimits.maxIdsInQuery);
  return Promise.resolve({
    accountId: account.accountId,
    queryState: account.view.state(type.name),
    canCalculateChanges: false,
    position,
    ids: matches.slice(position, position + limit),
    ...(args.calculateTotal && { total: matches.length }),
    ...(limit !== args.limit && (args.limit !== null || matches.length > position + limit) && { limit }),
  });
};
