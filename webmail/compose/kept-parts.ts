import { refusalOf, type CallMethod } from '../jmap/requests.ts';
import type { CreateResponse, Id, SetError } from '../jmap/types.ts';
import type { DraftPart } from './draft.ts';

/**
 * Copies the files of a draft that is opened again, on the server. The next save destroys the Email of the draft, and with
 * it the blobs of its parts, of which later saves are made too.
 * @throws Error with the reason when a file can't be copied.
 */
export const keptParts = async (call: CallMethod, parts: readonly DraftPart[]): Promise<readonly DraftPart[]> => {
  if (parts.length === 0) return parts;
  const create = Object.fromEntries(parts.map(({ blobId, type }, index) => [`part${index}`, { data: [{ blobId }], type }]));
  const { created, notCreated } = await call<CreateResponse>('Blob/upload', { create }).result;
  return parts.map((part, index) => {
    const blobId = created?.[`part${index}`]?.id;
    if (blobId !== undefined) return { ...part, blobId };
    throw new Error(refusalOf(notCreated?.[`part${index}`]));
  });
};

type CopyResponse = { readonly copied: Readonly<Record<Id, Id>> | null; readonly notCopied: Readonly<Record<Id, SetError>> | null };

/** Copies a file of another account (RFC 8620 §6.3). @throws Error with the reason when it can't be copied. */
export const copiedPart = async (call: CallMethod, fromAccountId: Id, part: DraftPart): Promise<DraftPart> => {
  const { copied, notCopied } = await call<CopyResponse>('Blob/copy', { fromAccountId, blobIds: [part.blobId] }).result;
  const blobId = copied?.[part.blobId];
  if (blobId === undefined) throw new Error(refusalOf(notCopied?.[part.blobId]));
  return { ...part, blobId };
};
