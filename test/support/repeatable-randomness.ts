import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { relative } from 'node:path';
import { testSeed } from './test-seed.ts';

// The runner loads this file once. Ids, pauses and other random values of a test file then follow from the seed and the
// path of the file, so that a test gives the same result on every machine, whatever ran before.

/** A stream cipher over zeros, a fast source of random octets. */
let cipher: crypto.Cipheriv;

/** Begins the random values of a test file. */
export const seedRandomness = (testPath: string): void => {
  const seed = `${testSeed} ${relative(process.cwd(), testPath)}`;
  cipher = crypto.createCipheriv('aes-256-ctr', crypto.createHash('sha256').update(seed).digest(), Buffer.alloc(16));
};

const randomOctets = (size: number): Buffer => cipher.update(Buffer.alloc(size));

const random = (): number => randomOctets(4).readUInt32BE() / 2 ** 32;

/** Fills the octets of a view with random ones. */
const fill = <T extends NodeJS.ArrayBufferView>(view: T): T => {
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(randomOctets(view.byteLength));
  return view;
};

const randomUUID = (): string => {
  const octets = randomOctets(16);
  octets[6] = (octets[6]! & 0x0f) | 0x40;
  octets[8] = (octets[8]! & 0x3f) | 0x80;
  return octets.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const replace = (object: object, name: string, value: unknown) => Object.defineProperty(object, name, { value, writable: true, configurable: true });

seedRandomness(expect.getState().testPath ?? '');
replace(Math, 'random', random);
replace(crypto, 'randomBytes', randomOctets);
replace(crypto, 'randomUUID', randomUUID);
replace(crypto.webcrypto, 'getRandomValues', fill);
syncBuiltinESMExports();

// The runner names each file to `expect` before it loads it.
const setState = expect.setState.bind(expect);
expect.setState = (state: { readonly testPath?: string }) => {
  setState(state);
  if (state.testPath !== undefined) seedRandomness(state.testPath);
};
