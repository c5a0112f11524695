import * as fc from 'fast-check';
import { assertProperty } from '../../support/assert-property.ts';
import { countBlocks, type BlockCounter } from '../../support/executed-blocks.ts';
import { anyHostileMessage, hostileMessage, type HostileMessage } from '../../support/hostile-messages.ts';

let counter: BlockCounter;
let parse: (raw: Buffer) => void;
beforeAll(async () => {
  counter = await countBlocks((url) => url.includes('/core/mime/') || url.includes('/postal-mime/'));
  const { parseMessage } = await import('../../../core/mime/parse-message.ts');
  parse = (raw) => {
    const { failure } = parseMessage(raw);
    if (failure) throw failure;
  };
  parse(Buffer.from('Subject: warm-up\n\nx'));
});
afterAll(() => counter.stop());

/** Number of code blocks that the parser executes for a message of this size. */
const workOf = (message: HostileMessage, octets: number): Promise<number> => counter.count(() => parse(hostileMessage(message, octets)));

const message: HostileMessage = { depth: 0, boundaries: 'alike', place: 'line', fragment: 'x', field: 'To', type: 'text/plain', encoding: '8bit' };
/** Timeout in milliseconds, only for tests that hang: the tests count work and do not measure time. */
const maxDuration = 60_000;

/** Maximum code blocks for each octet. Decoding quoted-printable takes about 15, the address parser about 45. */
const blocksAnOctet = 60;

// @pitfall attack alike-boundaries
test.each([
  ['lines of one letter that begins all boundaries', 'alike', 'line', '--z'],
  ['lines that begin all boundaries, each longer than the one before', 'prefixes', 'line', '--z'],
  ['lines that differ from long boundaries at the end', 'long', 'line', `--${'z'.repeat(200)}`],
  ['delimiters of nothing', 'alike', 'line', '--'],
  ['delimiters with many blanks and a letter', 'alike', 'line', `--z0${' '.repeat(400)}x`],
  ['header lines that begin like boundaries', 'alike', 'header line', '--z'],
] as const)(
  '%s take as much work below 12 multiparts as below one',
  async (_, boundaries, place, fragment) => {
    const lines: HostileMessage = { ...message, boundaries, place, fragment };
    const below = (depth: number) => workOf({ ...lines, depth }, 100_000);
    expect(await below(12)).toBeLessThan(1.6 * (await below(1)) + 20_000);
  },
  maxDuration,
);

/**
 * Octets of a message in the search. In a message four times as large, a fragment may occur up to five times as often,
 * because a part has a whole number of fragments.
 */
const size = 128_000;

test(
  'the work for any message is proportional to its octets',
  async () => {
    await assertProperty(
      fc.asyncProperty(anyHostileMessage, async (hostile) => {
        const [small, large] = [await workOf(hostile, size), await workOf(hostile, 4 * size)];
        expect(large).toBeLessThan(5.5 * small + 100_000);
        expect(large).toBeLessThan(4 * size * blocksAnOctet);
      }),
      { seed: 20_261_122, numRuns: 12 },
    );
  },
  maxDuration,
);

test.each(['g:', 'g:"', 'g:a@b;', '"a" <a@b>, ', '<a@b>', '=?utf-8?q?g:?= '])(
  'addresses of %j are parsed up to a limit, whatever the size',
  async (fragment) => {
    const addresses = (octets: number) => workOf({ ...message, place: 'field', fragment }, octets);
    const small = await addresses(500_000);
    expect(small).toBeLessThan(131_072 * blocksAnOctet);
    expect(await addresses(2_000_000)).toBeLessThan(1.1 * small + 20_000);
  },
  maxDuration,
);
