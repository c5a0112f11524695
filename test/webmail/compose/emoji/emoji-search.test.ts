import { createRequire } from 'node:module';
import { placeAfter, rowsOf, searchEmoji, type EmojiGroup } from '../../../../webmail/compose/emoji/emoji-search.ts';

const groups = createRequire(import.meta.url)('unicode-emoji-json/data-by-group.json') as readonly EmojiGroup[];
const found = (text: string, recent: readonly string[] = []): readonly string[] => searchEmoji(groups, text, recent).map(({ emoji }) => emoji);

describe('a search for emoji', () => {
  test('finds every word by its beginning, in any order', () => {
    expect(found('tears joy')).toContain('😂');
    expect(found('JOY tea')).toContain('😂');
    expect(found('ears joy')).toEqual([]);
    expect(found('no such emoji')).toEqual([]);
    expect(found(' - ')).toEqual([]);
  });

  test('has the whole name first, then names that begin so', () => {
    expect(found('red heart')[0]).toBe('❤️');
    expect(found('cat')[0]).toBe('🐈');
    expect(found('heart').indexOf('♥️')).toBeLessThan(found('heart').indexOf('❤️'));
  });

  test('has those first that were used recently', () => {
    expect(found('heart', ['😀', '💛'])[0]).toBe('💛');
  });

  test('reads letters without their marks', () => {
    expect(found('cote')).toEqual(['🇨🇮']);
    expect(found('Côte')).toEqual(['🇨🇮']);
  });

  test('ends after twelve rows', () => {
    expect(rowsOf(searchEmoji(groups, 'f', []))).toHaveLength(12);
  });
});

describe('the arrow keys', () => {
  test.each([
    ['ArrowRight', { row: 0, column: 1 }, { row: 1, column: 0 }],
    ['ArrowRight', { row: 2, column: 0 }, { row: 2, column: 0 }],
    ['ArrowLeft', { row: 1, column: 0 }, { row: 0, column: 1 }],
    ['ArrowLeft', { row: 0, column: 0 }, { row: 0, column: 0 }],
    ['ArrowDown', { row: 1, column: 8 }, { row: 2, column: 0 }],
    ['ArrowDown', { row: 2, column: 0 }, { row: 2, column: 0 }],
    ['ArrowUp', { row: 1, column: 8 }, { row: 0, column: 1 }],
    ['ArrowUp', { row: 0, column: 1 }, undefined],
    ['Home', { row: 1, column: 8 }, { row: 1, column: 0 }],
    ['End', { row: 1, column: 0 }, { row: 1, column: 8 }],
    ['a', { row: 1, column: 0 }, undefined],
  ])('lead with %s from %j to %j in rows of 2, 9 and 1', (key, from, to) => {
    expect(placeAfter([2, 9, 1], from, key)).toEqual(to);
  });
});
