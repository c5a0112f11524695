import { RegExpParser, type AST } from '@eslint-community/regexpp';
import { parseSync } from '@swc/core';

/** A regular expression of the product, with the place of its source text. */
export type FoundExpression = { readonly place: string; readonly source: string; readonly flags: string };

/** The literals of regular expressions in a TypeScript file. */
export const expressionLiterals = (path: string, text: string): FoundExpression[] => {
  const found: FoundExpression[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, pattern, flags } = node as { readonly type?: string; readonly pattern?: string; readonly flags?: string };
    if (type === 'RegExpLiteral') found.push({ place: path, source: pattern!, flags: flags! });
    else Object.values(node).forEach(visit);
  };
  // Most files have none, and the parser takes a second for a hundred files.
  if (/[(=,:[?|&!>{}\s]\/(?![/*\s])[^\n]*\//.test(text)) visit(parseSync(text, { syntax: 'typescript', tsx: path.endsWith('x'), target: 'es2024' }).body);
  return found;
};

/** Repetitions above which the length of the repeated text depends on the sender. */
const unbounded = 1000;

/** Characters of which each class is represented by those that belong to it. */
const candidates = Array.from(' \t\n\r\0a0A-_.,;:/\'"<>()[]{}=+@#%&*?!|\\~^$`é\u00a0\u0301\u200b\u4e2d\ufeff');

const matches = (element: AST.Element, text: string, flags: string): boolean => {
  try {
    return new RegExp(`^(?:${element.raw})$`, flags.replaceAll(/[gy]/g, '')).test(text);
  } catch {
    return false;
  }
};

/** A shortest text that the element matches, as far as classes, groups and quantifiers decide it. */
const sample = (element: AST.Element, flags: string): string => {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the others match no text
  switch (element.type) {
    case 'Character':
      return String.fromCodePoint(element.value);
    case 'CharacterClass':
    case 'CharacterSet':
    case 'ExpressionCharacterClass': {
      const inside =
        element.type === 'CharacterClass' ? element.elements.flatMap((each) => (each.type === 'Character' ? [String.fromCodePoint(each.value)] : [])) : [];
      return [...inside, ...candidates].find((text) => matches(element, text, flags)) ?? '';
    }
    case 'Group':
    case 'CapturingGroup':
      return sampleOf(element.alternatives[0]!.elements, flags);
    case 'Quantifier':
      return sample(element.element, flags).repeat(Math.min(element.min, unbounded));
    default:
      return '';
  }
};
const sampleOf = (elements: readonly AST.Element[], flags: string): string => elements.map((element) => sample(element, flags)).join('');

/** A repetition without a bound: a text that leads to it, and texts that it may repeat. */
type Repetition = { readonly before: string; readonly repeated: readonly string[] };

/** Finds the repetitions without a bound by the syntax tree of the regular expression, and the punctuation that it names. */
const repetitionsOf = ({ source, flags }: FoundExpression): { readonly repetitions: readonly Repetition[]; readonly named: readonly string[] } => {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, { unicode: flags.includes('u'), unicodeSets: flags.includes('v') });
  const found: Repetition[] = [];
  const literals = new Set<string>();
  const classes: AST.Element[] = [];
  const visitAll = (elements: readonly AST.Element[], before: string): void => {
    for (const [index, element] of elements.entries()) visit(element, before + sampleOf(elements.slice(0, index), flags));
  };
  const visit = (element: AST.Element, before: string): void => {
    if (element.type === 'Character') literals.add(String.fromCodePoint(element.value));
    if (element.type === 'CharacterClass') {
      for (const each of element.elements) if (each.type === 'Character') literals.add(String.fromCodePoint(each.value));
    }
    if (element.type === 'Quantifier') {
      visit(element.element, before);
      if (element.max < unbounded) return;
      classes.push(element.element);
      const inner = sample(element.element, flags);
      found.push({ before, repeated: [inner, before, before + inner, inner + before] });
    } else if ('alternatives' in element) for (const { elements } of element.alternatives) visitAll(elements, before);
  };
  for (const { elements } of pattern.alternatives) visitAll(elements, '');
  const named = [...literals];
  const characters = [...named, ...candidates.slice(0, 8)].filter((text) => classes.some((each) => matches(each, text, flags)));
  const punctuation = named.filter((text) => /[^\p{L}\p{N}]/u.test(text)).slice(0, 8);
  const pairs = punctuation.flatMap((first) => punctuation.map((second) => first + second));
  const repetitions = found.map(({ before, repeated }) => ({
    before,
    repeated: [...new Set([...repeated, ...characters, ...pairs])].filter((text) => text !== ''),
  }));
  return { repetitions, named: punctuation };
};

/** Endings at which most repetitions fail, besides the punctuation that the regular expression names. */
const endings = ['!', '\n', '\0x'];

/** A text of about `length` characters that may take a regular expression longer than its length. */
export type Attack = (length: number) => string;

/** The attacks on a regular expression; none when each of its repetitions has a bound. */
export const attacksOn = (expression: FoundExpression): readonly Attack[] => {
  const { repetitions, named } = repetitionsOf(expression);
  const attacks = new Map<string, Attack>();
  for (const { before, repeated } of repetitions) {
    for (const text of repeated) {
      for (const start of new Set(['', before, 'a', '!'])) {
        for (const end of new Set([...endings, ...named])) {
          attacks.set(JSON.stringify([start, text, end]), (length) => start + text.repeat(Math.ceil(length / text.length)) + end);
        }
      }
    }
  }
  return [...attacks.values()];
};

const cpuMilliseconds = (run: () => void): number => {
  const started = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
};

/** Characters of the attacks. An exponential regular expression is noticed with the shortest, a quadratic one with the longest. */
const lengths = [22, 44, 88, 352, 1408, 5632, 22_528];

/** Milliseconds below which a time is not compared: quadratic work takes hundreds for the longest attack. */
const unnoticed = 5;

/** Milliseconds for each character of a thousand and more, below which a longer attack is not tried. */
const linear = 0.000_04;

/** @returns how many times as long an attack of four times the length takes; 0 when its time is not noticed. */
export const slowdownOf = ({ source, flags }: FoundExpression, attack: Attack): number => {
  const global = new RegExp(source, flags.includes('g') || flags.includes('y') ? flags : `${flags}g`);
  const timeOf = (length: number, runs: number): number => {
    const text = attack(length);
    return Math.min(...Array.from({ length: runs }, () => cpuMilliseconds(() => void text.replace(global, ''))));
  };
  let noticed: number | undefined;
  for (const length of lengths) {
    const time = timeOf(length, 1);
    if (time > unnoticed && timeOf(length, 2) > unnoticed) {
      noticed = length;
      break;
    }
    if (length > 1000 && time < length * linear) return 0;
  }
  if (noticed === undefined) return 0;
  const slowdown = timeOf(noticed, 1) / Math.max(timeOf(noticed / 4, 3), 0.05);
  // A repetition with a bound of hundreds is linear only in longer texts. More than the square would not end there.
  return slowdown < 6 || slowdown > 30 ? slowdown : timeOf(4 * noticed, 2) / timeOf(noticed, 2);
};
