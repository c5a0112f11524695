import { maxDocuments, maxSegmentOctets } from '../segment-format/segment-file.ts';
import { parseSegmentName } from '../segment-format/segment-name.ts';

/** Number of similar-sized segments that are merged into one. */
const segmentsOfLevel = 8;
/** Maximum documents of a segment at the lowest level. Segments of the next level have up to eight times as many. */
const documentsOfLowestLevel = 64;

/** A segment of an account. `documents`: the number of documents whose Emails still exist. */
export type LiveSegment = { readonly name: string; readonly documents: number };

const levelOf = (documents: number): number => Math.max(0, Math.ceil(Math.log(documents / documentsOfLowestLevel) / Math.log(segmentsOfLevel)));

const octetsOf = ({ name }: LiveSegment): number => parseSegmentName(name)?.octets ?? 0;

/**
 * The segments to merge next: eight of one level, the lowest level first. An Email is merged once for each level: four
 * times in an account of 16,384 messages. A full segment is no longer merged.
 * @returns an empty list when no level has enough segments.
 */
export const segmentsToMerge = (segments: readonly LiveSegment[]): readonly LiveSegment[] => {
  const levels = new Map<number, LiveSegment[]>();
  for (const segment of segments) {
    const level = levelOf(segment.documents);
    levels.set(level, [...(levels.get(level) ?? []), segment]);
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
    // Segments that do not fit together are as large as segments become.
    if (merged.length === segmentsOfLevel || (merged.length > 1 && merged.length < found.length && found.length >= segmentsOfLevel)) return merged;
  }
  return [];
};
