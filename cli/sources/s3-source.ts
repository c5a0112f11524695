import { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { fromRandomAccessReaderPromise, RandomAccessReader } from 'yauzl';
import { CliError, usageError } from '../terminal/cli-error.ts';
import type { MailSource } from './mail-source.ts';
import type { MboxQuoting } from './mbox/mbox-format.ts';
import { mboxFolder, readMboxMessages } from './mbox/mbox-source.ts';
import { zipOptions, zipSource } from './zip-source.ts';

/** Octets of one read, and maximum cached reads. A zip is read mostly in order. */
const blockSize = 8 * 1024 * 1024;
const keptBlocks = 3;

type S3Object = { readonly client: S3Client; readonly bucket: string; readonly key: string; readonly size: number };

const describeError = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : 'unknown error');

/** Reads blocks of an object, and caches the most recent ones. */
const blockReader = ({ client, bucket, key, size }: S3Object) => {
  const blocks = new Map<number, Promise<Buffer>>();
  const load = async (index: number): Promise<Buffer> => {
    const start = index * blockSize;
    const end = Math.min(size, start + blockSize) - 1;
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range: `bytes=${start}-${end}` }));
      return Buffer.from(await Body!.transformToByteArray());
    } catch (error) {
      throw new CliError(`s3://${bucket}/${key} cannot be read any further: ${describeError(error)}`);
    }
  };
  return (index: number): Promise<Buffer> => {
    const block = blocks.get(index) ?? load(index);
    blocks.delete(index);
    blocks.set(index, block);
    block.catch(() => blocks.delete(index));
    for (const old of [...blocks.keys()].slice(0, -keptBlocks)) blocks.delete(old);
    return block;
  };
};

const readRange = async function* (readBlock: (index: number) => Promise<Buffer>, start: number, end: number): AsyncGenerator<Buffer> {
  for (let position = start; position < end;) {
    const index = Math.floor(position / blockSize);
    const block = await readBlock(index);
    const part = block.subarray(position - index * blockSize, Math.min(block.length, end - index * blockSize));
    if (part.length === 0) throw new Error('the object is shorter than it was');
    yield part;
    position += part.length;
  }
};

class S3Reader extends RandomAccessReader {
  readonly #readBlock: (index: number) => Promise<Buffer>;

  constructor(object: S3Object) {
    super();
    this.#readBlock = blockReader(object);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(readRange(this.#readBlock, start, end));
  }
}

const findObject = async (client: S3Client, bucket: string, key: string): Promise<S3Object> => {
  try {
    const { ContentLength: size = 0 } = await client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
    return { client, bucket, key, size };
  } catch (error) {
    throw new CliError(
      `s3://${bucket}/${key} cannot be read: ${describeError(error)}. The credentials of your environment need s3:GetObject, ` +
        'and kms:Decrypt when the object is encrypted with a key of KMS',
    );
  }
};

/**
 * An object in S3 as a source, without a copy on this machine: a zip such as Amazon WorkMail exports, or an mbox. It
 * uses the AWS credentials and the region of the environment.
 * @throws CliError when it cannot be read.
 */
export const s3Source = async (url: string, quoting: MboxQuoting, client = new S3Client({ followRegionRedirects: true })): Promise<MailSource> => {
  const [, bucket, key] = /^s3:\/\/([^/]+)\/(.+)$/.exec(url) ?? [];
  if (bucket === undefined || key === undefined || key.endsWith('/')) throw usageError('an object of S3 is written s3://BUCKET/KEY');
  const object = await findObject(client, bucket, key);
  if (/\.(?:mbox|mbx)$/i.test(key)) {
    const folder = mboxFolder([key.split('/').at(-1)!]);
    const chunks = readRange(blockReader(object), 0, object.size);
    return {
      total: { unit: 'octets', amount: object.size },
      read: (options) => readMboxMessages({ name: url, chunks, folder, quoting, modifiedAt: new Date() }, options),
      close: async () => client.destroy(),
    };
  }
  try {
    const source = await zipSource(await fromRandomAccessReaderPromise(new S3Reader(object), object.size, zipOptions), url, quoting);
    return {
      ...source,
      close: async () => {
        await source.close();
        client.destroy();
      },
    };
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`${url} cannot be read as a zip file: ${describeError(error)}`);
  }
};
