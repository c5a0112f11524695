import type { SearchDocument } from '../core/search/texts/search-document.ts';

/** Words of the vocabulary, and words of one message. */
const vocabulary = 200_000;
const wordsOfMessage = 340;

/**
 * The share of a message's words that come from its own topic: 40 words that are drawn once for each message. Without
 * them a message would have more distinct words than real text, of whose first 340 words about 190 are distinct.
 */
const topicShare = 0.35;
const topicWords = 40;

/** Ranks up to which frequencies follow Zipf's law with exponent 1. Rarer words have exponent 1.8, as in large corpora. */
const frequentRanks = 6000;

/** Numbers from 0 to 1 (mulberry32). */
const randomNumbers = (seed: number) => {
  let state = seed;
  return (): number => {
    state = state + 0x6d2b79f5 | 0;
    let mixed = Math.imul(state ^ state >>> 15, 1 | state);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
};

const cumulated = new Float64Array(vocabulary);
let total = 0;
for (let rank = 0; rank < vocabulary; rank++) {
  const frequency = 1 / (rank + 2);
  cumulated[rank] = total += rank < frequentRanks ? frequency : frequency * (frequentRanks / rank) ** 0.8;
}

const consonants = 'tnsrhldcmfpgwybvk';
const vowels = 'eaoiu';

/** The word of a rank: frequent ones are short. */
export const wordOfRank = (rank: number): string => {
  let word = '';
  for (let rest = rank + 1; rest > 0; rest = Math.floor(rest / 85)) {
    word += consonants[rest % 17]! + vowels[Math.floor(rest / 17) % 5]!;
  }
  return rank % 3 === 0 ? word : `${word}${consonants[rank % 17]!}`;
};

const words = Array.from({ length: vocabulary }, (_, rank) => wordOfRank(rank));

/** A rank by its frequency. */
const drawRank = (random: number): number => {
  const wanted = random * total;
  let [low, high] = [0, vocabulary - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (cumulated[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Random words that look like trace fields and signatures: they occur in no other message. */
const headersOf = (random: () => number): SearchDocument['headers'] => {
  const unique = () => Math.floor(random() * 2 ** 40).toString(36);
  const names = ['return-path', 'received', 'received', 'received', 'dkim-signature', 'authentication-results', 'from', 'to', 'subject', 'date',
    'message-id', 'mime-version', 'content-type', 'x-ses-spam-verdict', 'x-ses-virus-verdict'];
  return names.map((name) => ({ name, terms: Array.from({ length: name === 'dkim-signature' ? 30 : 10 }, (_, i) => (i % 2 === 0 ? unique() : words[i]!)) }));
};

/** The message with this number as search sees it: 340 words in its body. */
export const generatedDocument = (number: number, emailId: string): SearchDocument => {
  const random = randomNumbers(number);
  const word = () => words[drawRank(random())]!;
  const topic = Array.from({ length: topicWords }, word);
  const sender = Math.floor(random() ** 3 * 2000);
  const subject = Array.from({ length: 6 }, word);
  const body = Array.from({ length: wordsOfMessage }, () => (random() < topicShare ? topic[Math.floor(random() * topicWords)]! : word()));
  return {
    emailId,
    hasAttachment: number % 5 === 0,
    fields: [
      [[words[300 + sender]!, words[3000 + sender]!, `user${sender}`, `host${sender % 300}`, 'example', 'com']],
      [['alice', 'liddell', 'alice', 'example', 'test']], [], [], [subject], [body], number % 5 === 0 ? [['report', String(number % 100), 'pdf']] : [],
    ],
    headers: headersOf(random),
    sortTexts: { from: `${words[300 + sender]!} ${words[3000 + sender]!}`, to: 'Alice Liddell', subject: subject.join(' ') },
  };
};
