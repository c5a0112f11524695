/** The name of a segment in the manifest. */
export type SegmentName = {
  readonly documents: number;
  /** Octets up to the end of the document ids. A reader reads them by one range request. */
  readonly documentOctets: number;
  /** Octets up to the blocks of terms. A reader of a small account keeps them in memory. */
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
  return { documents: Number(documents), documentOctets: Number(documentOctets), indexOctets: Number(indexOctets), octets: Number(octets), nonce };
};
