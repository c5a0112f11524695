import type { CallMethod } from '../jmap/requests.ts';
import type { CreateResponse } from '../jmap/types.ts';
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
    const { type, description } = notCreated?.[`part${index}`] ?? { type: 'serverFail' };
    throw new Error(description ?? type);
  });
};
