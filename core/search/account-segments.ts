import type { EmailIndex } from '../mail/email/index/email-index.ts';
import { mapConcurrently } from '../runtime/map-concurrently.ts';
import type { Objects } from '../storage/objects.ts';
import { readManifest, type SearchManifest } from './segment-format/search-manifest.ts';
import { UnusableSegment, type SegmentProblem } from './segment-format/segment-bytes.ts';
import { parseSegmentName } from './segment-format/segment-name.ts';
import { objectReader } from './segments/segment-ranges.ts';
import { SegmentReader } from './segments/segment-reader.ts';

/** A segment in memory. Its documents have consecutive numbers from `base`, a multiple of 32. */
export type AccountSegment = { readonly name: string; readonly base: number; readonly reader: SegmentReader };

/** The name of a segment in the manifest that can't be used. Its Emails are treated as not indexed. */
type UnusableName = { readonly name: string; readonly problem: SegmentProblem };

const concurrentOpens = 16;

const aligned = (number: number): number => Math.ceil(number / 32) * 32;

const problemOf = (error: unknown): SegmentProblem => {
  if (error instanceof UnusableSegment) return error.problem;
  throw error;
};

/** The segments of an account in memory, with the documents of its Emails. */
export class AccountSegments {
  readonly accountId: string;
  readonly emails: EmailIndex;
  readonly #objects: Pick<Objects, 'get'>;
  readonly #maxHeldOctets: number;
  #manifestName: string | undefined;
  #manifest: SearchManifest | undefined;
  #segments: readonly AccountSegment[] = [];
  #unusable: readonly UnusableName[] = [];
  /**
   * The first free document number after all segments. Number 0 means no document, so the first segment begins at 32.
   */
  #end = 32;

  /** @param maxHeldOctets maximum octets of segments whose terms and words stay in memory. */
  constructor(objects: Pick<Objects, 'get'>, accountId: string, emails: EmailIndex, maxHeldOctets: number) {
    [this.#objects, this.accountId, this.emails, this.#maxHeldOctets] = [objects, accountId, emails, maxHeldOctets];
  }

  get manifest(): SearchManifest | undefined {
    return this.#manifest;
  }

  get segments(): readonly AccountSegment[] {
    return this.#segments;
  }

  get unusable(): readonly UnusableName[] {
    return this.#unusable;
  }

  /** The number after the highest document number. */
  get end(): number {
    return this.#end;
  }

  /** Octets of the segments that are in memory. */
  get bytes(): number {
    return this.#segments.reduce((sum, { reader }) => sum + reader.bytes, 0);
  }

  /**
   * Reads the manifest and the segments that it names, unless they are in memory. Segments that can't be used are left
   * out.
   * @throws UnusableSegment when S3 fails, or when the manifest can't be used.
   */
  async update(manifestName: string | undefined): Promise<void> {
    if (manifestName === this.#manifestName) return;
    const manifest = manifestName === undefined ? undefined : await readManifest(this.#objects, this.accountId, manifestName);
    const names = manifest?.segments ?? [];
    for (const segment of this.#segments) if (!names.includes(segment.name)) this.drop(segment.name);
    const known = new Set(this.#segments.map(({ name }) => name));
    const octets = names.reduce((sum, name) => sum + (parseSegmentName(name)?.indexOctets ?? 0), 0);
    const unusable: UnusableName[] = [];
    const opened = await mapConcurrently(
      names.filter((name) => !known.has(name)),
      async (name) => {
        try {
          return { name, reader: await this.#open(name, octets <= this.#maxHeldOctets) };
        } catch (error) {
          const problem = problemOf(error);
          if (problem === 'unreadable') throw error;
          unusable.push({ name, problem });
          return undefined;
        }
      },
      { atOnce: concurrentOpens },
    );
    for (const segment of opened) if (segment) this.#add(segment.name, segment.reader);
    const mayHoldWords = this.#segments.reduce((sum, { reader }) => sum + reader.maxBytes, 0) <= this.#maxHeldOctets;
    for (const { reader } of this.#segments) reader.mayHoldWords = mayHoldWords;
    [this.#manifest, this.#manifestName, this.#unusable] = [manifest, manifestName, unusable];
  }

  /** Leaves out a segment that can't be used, until another manifest is read. */
  leaveOut(name: string, problem: SegmentProblem): void {
    this.drop(name);
    this.#unusable = [...this.#unusable, { name, problem }];
  }

  /** Leaves out an unusable manifest, with all of its segments, until another manifest is read. */
  leaveOutAll(manifestName: string | undefined, problem: SegmentProblem): void {
    this.clear();
    this.#manifestName = manifestName;
    this.#unusable = [{ name: String(manifestName), problem }];
  }

  /** Removes a segment. Its Emails then have no document. */
  drop(name: string): void {
    const segment = this.#segments.find((each) => each.name === name);
    if (!segment) return;
    this.emails.documents.forget(segment.base, segment.reader.documents);
    this.#segments = this.#segments.filter((each) => each !== segment);
    // The numbers of removed segments are used again, so that numbers do not grow without limit.
    this.#end = Math.max(32, ...this.#segments.map(({ base, reader }) => aligned(base + reader.documents)));
  }

  /** Removes all segments from memory. */
  clear(): void {
    for (const { name } of this.#segments) this.drop(name);
    [this.#manifest, this.#manifestName, this.#unusable] = [undefined, undefined, []];
  }

  #open(name: string, isHeld: boolean): Promise<SegmentReader> {
    const parsed = parseSegmentName(name);
    if (!parsed) throw new UnusableSegment('newer');
    return SegmentReader.open(objectReader(this.#objects, this.accountId, name, parsed.octets), this.accountId, parsed, isHeld);
  }

  #add(name: string, reader: SegmentReader): void {
    const base = this.#end;
    this.emails.documents.assign(reader, base);
    this.#segments = [...this.#segments, { name, base, reader }];
    this.#end = aligned(base + reader.documents);
  }
}
