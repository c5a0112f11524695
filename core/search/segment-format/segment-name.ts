/** A segment, as a manifest names it. */
export type SegmentName = {
  readonly documents: number;
  /** Octets up to the ids of the documents, so that a reader asks for them at once. */
  readonly documentOctets: number;
  /** Octets up to the terms: what a reader holds of a small account. */
  readonly indexOctets: number;
  /** Octets of the file. */
  readonly octets: number;
  /** Makes the name unique, because a file is never written again. */
  readonly nonce: string;
};

const pattern = /^(\d{1,6})-(\d{1,12})-(\d{1,12})-(\d{1,12})-([\w-]{1,40})$/;

export const segmentName = ({ documents, documentOctets, indexOctets, octets, nonce }: SegmentName): string =>
  `${documents}-${documentOctets}-${indexOctets}-${octets}-${nonce}`;

/** @returns undefined for a name of another form, which a newer release may have written. */
export const parseSegmentName = (name: string): SegmentName | undefined => {
  const [, documents, documentOctets, indexOctets, octets, nonce] = pattern.exec(name) ?? [];
  if (nonce === undefined) return undefined;
  return {
    documents: Number(documents), documentOctets: Number(documentOctets), indexOctets: Number(indexOctets), octets: Number(octets), nonce,
  };
};
