import { searchLimits } from '../../contract/jmap/core.ts';
import { emptyMessage, mergeRanges, octetsOf, readRawMessage, type Range, type RawMessage } from '../blobs/raw-message.ts';
import type { EmailContent } from '../mail/email/email-content.ts';
import type { Objects } from '../storage/objects.ts';
import { searchedParts } from './searchable-text.ts';

/** The range of the header that is searched. */
export const headerBlock = ({ bodyStructure: { headers } }: EmailContent): Range => ({
  start: headers.start,
  end: Math.min(headers.end, headers.start + searchLimits.maxSizeSearchedHeaders),
});

const rangesOf = (record: EmailContent): readonly Range[] =>
  mergeRanges([headerBlock(record), ...searchedParts(record.bodyStructure).map(({ range }) => range)]);

/** Octets that are read from a message. */
export const searchedOctets = (record: EmailContent): number => octetsOf(rangesOf(record));

/**
 * Reads the searched parts of a message in one round trip: its header and its text parts. A missing message has no
 * text.
 */
export const readSearchedMessage = async (objects: Pick<Objects, 'get'>, accountId: string, record: EmailContent): Promise<RawMessage> =>
  (await readRawMessage(objects, accountId, record, rangesOf(record))) ?? emptyMessage;
