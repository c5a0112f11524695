import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { fittingIds } from './api-response.ts';
import type { MatchingIds, QueryBehaviour } from './behaviour.ts';
import { decodeFilter, decodeSort } from './filter-and-sort.ts';
import { MethodError } from './jmap-errors.ts';
import type { MethodHandler } from './method.ts';

type WindowArguments = Pick<VerbArguments<'query'>, 'position' | 'anchor' | 'anchorOffset'>;

/** The position of the first returned id (RFC 8620 §5.5). A negative `position` counts from the end. */
const windowStart = ({ position, anchor, anchorOffset }: WindowArguments, matches: MatchingIds): number => {
  if (anchor === null) return position < 0 ? Math.max(0, matches.length + position) : position;
  const anchorIndex = matches.indexOf(anchor);
  if (anchorIndex < 0) throw new MethodError('anchorNotFound', 'The anchor is not among the results.');
  return Math.max(0, anchorIndex + anchorOffset);
};

/** The verb /query (RFC 8620 §5.5). The response has `limit` when it differs from the limit of the client. */
export const query =
  <Args extends VerbArguments<'query'>>(type: RecordType, behaviour: QueryBehaviour<Args>): MethodHandler<Args> =>
  async (args, account, context) => {
    const filter = args.filter === null ? undefined : decodeFilter(type, args.filter, context.budget);
    const matches = await behaviour.matchingIds(account.view, filter, decodeSort(type, args.sort), args, account, context);
    const position = windowStart(args, matches);
    const mostIds = Math.min(args.limit ?? Infinity, unadvertisedLimits.maxIdsInQuery);
    const wanted = matches.slice(position, position + mostIds);
    const ids = fittingIds(wanted, context.responseRoom);
    const limit = ids.length < wanted.length ? ids.length : mostIds;
    return {
      accountId: account.accountId,
      queryState: account.view.state(type.name),
      canCalculateChanges: type.methods.includes('queryChanges'),
      position,
      ids,
      ...(args.calculateTotal && { total: matches.length }),
      ...(limit !== args.limit && { limit }),
    };
  };
