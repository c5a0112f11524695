import { capability } from '../../contract/jmap/core.ts';
import { expanded } from '../jmap/expanded.ts';
import {
  coreLimit,
  detailOf,
  firstWait,
  isBusy,
  longestWait,
  RequestRefused,
  ResponseLost,
  retryAfter,
  type RequestDependencies,
  type Requests,
} from '../jmap/requests.ts';
import type { CreateResponse, Id, Session } from '../jmap/types.ts';
import { uploadWords } from '../words/upload-words.ts';
import { createTurns } from './turns.ts';

/** Posts a body and reports how many octets of it were sent. It throws a TypeError when the connection breaks, as `fetch` does. */
export type SendBody = (
  url: string,
  init: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Blob;
    readonly signal: AbortSignal;
    readonly onProgress: (octets: number) => void;
  },
) => Promise<Response>;

export type UploadDependencies = Pick<RequestDependencies, 'session' | 'accessToken' | 'wait'> & { readonly requests: Requests; readonly send: SendBody };

export type Upload = {
  readonly accountId: Id;
  readonly file: Blob;
  /** The media type that the file gets. Parameters are left out, and another text becomes `application/octet-stream`. */
  readonly type: string;
  /** Hears how many octets of all were sent. The number never becomes smaller. */
  readonly onProgress?: (sent: number, all: number) => void;
  readonly signal?: AbortSignal;
};

export type Uploaded = { readonly blobId: Id; readonly type: string; readonly size: number };

export type Uploads = {
  /**
   * Uploads a file, and tries again until the server takes it, refuses it, or `signal` cancels it.
   * @throws Error with words for a person; the reason of the signal.
   */
  upload(upload: Upload): Promise<Uploaded>;
};

type BlobCapability = { readonly maxSizeBlobSet: number | null; readonly maxDataSources: number | null };

const anyType = 'application/octet-stream';

/** Data sources that every server allows for a blob (RFC 9404 §3.1). */
const leastDataSources = 64;

/** A type without parameters, which is safe in a header field. */
const essenceOf = (type: string): string => {
  const essence = type.split(';', 1)[0]!.trim().toLowerCase();
  return /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}$/.test(essence) ? essence : anyType;
};

/** Divides a file into what the session lets go up at once. @throws Error for a file above what the account takes. */
const piecesOf = (session: Session, accountId: Id, file: Blob): readonly Blob[] => {
  const most = coreLimit(session, 'maxSizeUpload', Infinity);
  if (file.size <= most) return [file];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the capability has these properties (RFC 9404 §3.1)
  const limits = session.accounts[accountId]?.accountCapabilities?.[capability.blob] as BlobCapability | undefined;
  const maxPieces = limits ? (limits.maxDataSources ?? leastDataSources) : 1;
  const limit = Math.min(limits?.maxSizeBlobSet ?? Infinity, most * maxPieces);
  if (file.size > limit) throw new Error(uploadWords.tooLarge(limit));
  return Array.from({ length: Math.ceil(file.size / most) }, (_, index) => file.slice(index * most, (index + 1) * most));
};

/** The result of a promise, unless the signal comes before it. */
const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const cancel = (): void => reject(signal.reason);
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel));
  });

/** A browser tells a file that can't be read any more like a connection that breaks. Only that is tried again. */
const checkReadable = async (file: Blob): Promise<void> => {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch (error) {
    throw new Error(uploadWords.changed, { cause: error });
  }
};

/** Makes a function that reports a sum of pieces, and nothing that is less than before. */
const createProgress = ({ file, onProgress, signal }: Upload): ((index: number, octets: number) => void) => {
  const sent: number[] = [];
  let [sum, highest] = [0, -1];
  return (index, octets) => {
    sum += octets - (sent[index] ?? 0);
    sent[index] = octets;
    if (sum <= highest || signal?.aborted) return;
    highest = sum;
    onProgress?.(sum, file.size);
  };
};

/** Reads what became of an upload. @throws Error in words when that is not in the answer. */
const uploadedIn = async (response: Response, size: number): Promise<Uploaded> => {
  const answer: unknown = await response.json().catch(() => undefined);
  if (typeof answer !== 'object' || answer === null || !('blobId' in answer) || typeof answer.blobId !== 'string') throw new Error(uploadWords.noAnswer);
  if ('size' in answer && answer.size !== size) throw new Error(uploadWords.cut);
  return { blobId: answer.blobId, type: 'type' in answer && typeof answer.type === 'string' ? answer.type : anyType, size };
};

/** The server asks for another try, perhaps after some milliseconds. */
class Busy extends Error {
  readonly pause: number | undefined;
  constructor(pause: number | undefined) {
    super('the server is busy');
    this.pause = pause;
  }
}

type Piece = {
  readonly accountId: Id;
  readonly body: Blob;
  readonly type: string;
  readonly signal: AbortSignal;
  readonly onProgress: (octets: number) => void;
};

/** Makes the uploads of a page, which all together keep to the session's `maxConcurrentUpload`. */
export const createUploads = ({ session, accessToken, requests, send, wait }: UploadDependencies): Uploads => {
  const turns = createTurns(() => coreLimit(session(), 'maxConcurrentUpload', 4));

  const post = async (piece: Piece, refused?: string): Promise<Response> => {
    const { accountId, body, type, signal, onProgress } = piece;
    const token = await accessToken(refused);
    signal.throwIfAborted();
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const response = await send(expanded(session().uploadUrl, { accountId }), { headers, body, signal, onProgress });
    return response.status === 401 && refused === undefined ? post(piece, token) : response;
  };

  const inTurn = async (piece: Piece): Promise<Response> => {
    await turns.take(piece.signal);
    try {
      return await unlessAborted(post(piece), piece.signal);
    } finally {
      turns.free();
    }
  };

  /** Acts until that ends neither with a lost connection nor with a busy server. */
  const persistently = async <T>(signal: AbortSignal, act: () => Promise<T>, check: () => Promise<void> = async () => undefined): Promise<T> => {
    for (let delay = firstWait; ; delay = Math.min(2 * delay, longestWait)) {
      let pause = delay;
      try {
        return await act();
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof Busy) pause = error.pause ?? delay;
        else if (error instanceof TypeError || error instanceof ResponseLost) await unlessAborted(check(), signal);
        else throw error;
      }
      // Others have the turn meanwhile.
      await unlessAborted(wait(pause), signal);
    }
  };

  const uploadPiece = (piece: Piece): Promise<Uploaded> => {
    const act = async (): Promise<Uploaded> => {
      const response = await inTurn(piece);
      if (isBusy(response.status)) throw new Busy(retryAfter(response));
      if (!response.ok) throw new RequestRefused(response.status, await detailOf(response));
      const uploaded = await uploadedIn(response, piece.body.size);
      piece.onProgress(piece.body.size);
      return uploaded;
    };
    return persistently(
      piece.signal,
      () => unlessAborted(act(), piece.signal),
      () => checkReadable(piece.body),
    );
  };

  /** Joins pieces to a blob (RFC 9404 §4.1). To do it again after a lost response does no harm. */
  const join = async (accountId: Id, pieces: readonly Uploaded[], type: string, signal: AbortSignal): Promise<Id> => {
    const create = { file: { data: pieces.map(({ blobId }) => ({ blobId })), type } };
    const { created, notCreated } = await persistently(signal, () => requests.call<CreateResponse>('Blob/upload', { accountId, create }, { signal }).result);
    const id = created?.['file']?.id;
    if (id !== undefined) return id;
    const refused = notCreated?.['file'];
    throw new Error(refused?.description ?? refused?.type ?? uploadWords.noAnswer);
  };

  return {
    async upload(upload) {
      const { accountId, file, signal } = upload;
      signal?.throwIfAborted();
      const type = essenceOf(upload.type);
      const pieces = piecesOf(session(), accountId, file);
      const progress = createProgress(upload);
      // A piece that is refused ends the others.
      const running = new AbortController();
      const cancel = (): void => running.abort(signal?.reason);
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        progress(0, 0);
        const uploaded = await Promise.all(
          pieces.map((body, index) =>
            uploadPiece({
              accountId,
              body,
              type: pieces.length === 1 ? type : anyType,
              signal: running.signal,
              onProgress: (octets) => progress(index, Math.min(octets, body.size)),
            }),
          ),
        );
        if (uploaded.length === 1) return uploaded[0]!;
        return { blobId: await join(accountId, uploaded, type, running.signal), type, size: file.size };
      } finally {
        running.abort();
        signal?.removeEventListener('abort', cancel);
      }
    },
  };
};
