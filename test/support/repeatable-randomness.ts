import crypto from 'node:crypto';
import { relative } from 'node:path';
import { randomNumbers } from '../histories/turns.ts';
import { testSeed } from './test-seed.ts';

// Jest loads this file before each unit test. Ids, pauses and other random values then follow from the seed and the
// path of the test: a test that passes on one machine does not fail on another one for an unlucky id.

const seedOf = (text: string): number => crypto.createHash('sha256').update(text).digest().readUInt32BE();

const random = randomNumbers(seedOf(`${testSeed} ${relative(process.cwd(), expect.getState().testPath ?? '')}`));

/** Fills the octets of a view with random ones. */
const fill = <T extends NodeJS.ArrayBufferView>(view: T): T => {
  const octets = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  for (let i = 0; i < octets.length; i++) octets[i] = Math.floor(random() * 256);
  return view;
};

const randomUUID = (): string => {
  const octets = fill(Buffer.alloc(16));
  octets[6] = (octets[6]! & 0x0f) | 0x40;
  octets[8] = (octets[8]! & 0x3f) | 0x80;
  return octets.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const replace = (object: object, name: string, value: unknown) =>
  Object.defineProperty(object, name, { value, writable: true, configurable: true });

replace(Math, 'random', random);
replace(crypto, 'randomBytes', (size: number) => fill(Buffer.alloc(size)));
replace(crypto, 'randomUUID', randomUUID);
replace(crypto.webcrypto, 'getRandomValues', fill);
