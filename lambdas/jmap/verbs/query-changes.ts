import type { RecordType, VerbArguments } from '../../../contract/jmap/record.ts';
import { MethodError } from '../protocol/errors.ts';
import type { VerbAnswer } from './behaviour.ts';
import { decodeFilter, decodeSort } from './filter-and-sort.ts';

/** RFC 8620 §5.6. As every /query says by canCalculateChanges: what left a list of results can't be told, and the client asks again. */
export const queryChanges = (type: RecordType): VerbAnswer<VerbArguments<'queryChanges'>> => async (args) => {
  if (args.filter !== null) decodeFilter(type, args.filter);
  decodeSort(type, args.sort ?? []);
  throw new MethodError('cannotCalculateChanges', 'Ask /query again.');
};
