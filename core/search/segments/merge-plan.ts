import { maxDocuments, maxSegmentOctets } from '../segment-format/segment-file.ts';
import { parseSegmentName } from '../segment-format/segment-name.ts';

/**
 * Segments of similar size are merged when there are this many of them, so that an account has few segments of each
 * size.
 */
const segmentsOfLevel = 8;
/** Documents up to which a segment is of the lowest level. Those of the next level have eight times as many. */
const documentsOfLowestLevel = 64;

/** A segment of an account. `documents` are those of Emails that exist. */
export type LiveSegment = { readonly name: string; readonly documents: number };

const levelOf = (documents: number): number =>
  Math.max(0, Math.ceil(Math.log(documents / documentsOfLowestLevel) / Math.log(segmentsOfLevel)));

const octetsOf = ({ name }: LiveSegment): number => parseSegmentName(name)?.octets ?? 0;

/**
 * The segments to merge next: eight of one level, the lowest first. An Email is merged once a level, so four times in
 * an account of 16,384 messages, and a full segment never again.
 * @returns none when no level has enough.
 */
export const segmentsToMerge = (segments: readonly LiveSegment[]): readonly LiveSegment[] => {
  const levels = new Map<number, LiveSegment[]>();
  for (const segment of segments) {
    const level = levelOf(segment.documents);
    levels.set(level, [...levels.get(level) ?? [], segment]);
  }
  for (const [, found] of [...levels].toSorted(([one], [other]) => one - other)) {
    const merged: LiveSegment[] = [];
    let [documents, octets] = [0, 0];
    for (const segment of found.toSorted((one, other) => one.documents - other.documents)) {
      documents += segment.documents;
      octets += octetsOf(segment);
      if (documents > maxDocuments || octets > maxSegmentOctets || merged.length === segmentsOfLevel) break;
      merged.push(segment);
    }
    // What no longer fits together is as large as segments become.
    if (merged.length === segmentsOfLevel || (merged.length > 1 && merged.length < found.length && found.length >= segmentsOfLevel)) return merged;
  }
  return [];
};
