import { mapConcurrently } from '../../runtime/map-concurrently.ts';
import { objectKeys } from '../../storage/object-keys.ts';
import type { Objects } from '../../storage/objects.ts';
import { UnusableSegment } from '../segment-format/segment-bytes.ts';
import { checkSection, type Section } from '../segment-format/segment-file.ts';

/** Maximum octets between two sections that one request reads together. */
const minGap = 32 * 1024;
/**
 * Maximum range requests for a segment. To stay below it, small gaps are read too, because a request takes about 1 ms
 * of CPU.
 */
const maxRanges = 32;
/** Octets after which a range takes no further sections. */
const maxRange = 8 * 1024 * 1024;

/** A section and its position in the file. */
export type PlacedSection = { readonly start: number; readonly section: Section };

/** Reads a range of a file (`end` exclusive). */
export type ReadRange = (start: number, end: number) => Promise<Buffer>;

/** Makes a reader of ranges of an object. @param octets octets of the object. @throws UnusableSegment */
export const objectReader =
  (objects: Pick<Objects, 'get'>, accountId: string, name: string, octets: number): ReadRange =>
  async (start, end) => {
    let found;
    try {
      found = await objects.get(objectKeys.search(accountId, name), { start, end });
    } catch (error) {
      throw new UnusableSegment('unreadable', { cause: error });
    }
    if (!found) throw new UnusableSegment('missing');
    if (found.size !== octets || found.bytes.length !== end - start) throw new UnusableSegment('damaged');
    return found.bytes;
  };

type Range = { readonly start: number; end: number; readonly indexes: number[] };

/** The ranges that contain these sections, which must be in the order of the file. */
const rangesWithGap = (sections: readonly PlacedSection[], gap: number): readonly Range[] => {
  const ranges: Range[] = [];
  for (const [index, { start, section }] of sections.entries()) {
    const last = ranges.at(-1);
    const end = start + section.octets;
    if (last && start - last.end <= gap && end - last.start <= maxRange) {
      last.end = end;
      last.indexes.push(index);
    } else {
      ranges.push({ start, end, indexes: [index] });
    }
  }
  return ranges;
};

const rangesOf = (sections: readonly PlacedSection[]): readonly Range[] => {
  let ranges = rangesWithGap(sections, minGap);
  for (let gap = 2 * minGap; ranges.length > maxRanges && gap < maxRange; gap *= 2) ranges = rangesWithGap(sections, gap);
  return ranges;
};

/** Octets of the ranges that contain these sections, which must be in the order of the file. */
export const octetsToRead = (sections: readonly PlacedSection[]): number => rangesOf(sections).reduce((sum, { start, end }) => sum + end - start, 0);

/** Reads sections in the order of the file. Neighbours are read by one request. @throws UnusableSegment */
export const readSections = async (read: ReadRange, sections: readonly PlacedSection[]): Promise<Buffer[]> => {
  const buffers: Buffer[] = [];
  await mapConcurrently(
    rangesOf(sections),
    async ({ start, end, indexes }) => {
      const bytes = await read(start, end);
      for (const index of indexes) {
        const { start: at, section } = sections[index]!;
        buffers[index] = checkSection(bytes.subarray(at - start, at - start + section.octets), section);
      }
    },
    { atOnce: maxRanges },
  );
  return buffers;
};
