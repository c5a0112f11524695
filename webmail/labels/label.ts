import type { Mailbox } from '../jmap/types.ts';

/** Colours of labels; the style sheet has what they look like. */
export const labelColours = ['grey', 'red', 'orange', 'yellow', 'green', 'blue', 'purple', 'pink'] as const;
export type LabelColour = (typeof labelColours)[number];

/** A keyword that a person calls by a name. */
export type Label = { readonly keyword: string; readonly name: string; readonly colour: LabelColour };

/** Maximum labels of an account, and characters of a name. */
export const labelLimits = { labels: 200, name: 60 };

/** The mailbox with the message in which an account's labels are. It is shown nowhere. */
export const settingsMailboxName = 'Settings of the web mail';
export const isSettingsMailbox = ({ name, parentId, role }: Pick<Mailbox, 'name' | 'parentId' | 'role'>): boolean =>
  name === settingsMailboxName && parentId === null && role === null;

/** Characters of a keyword (RFC 8621 §4.1.1), in lower case. */
const keywordPattern = /^[!#$&'+-[^-z|}~]{1,255}$/;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

const labelOf = (value: unknown): readonly Label[] => {
  if (!isObject(value)) return [];
  const { keyword, name, colour } = value;
  if (typeof keyword !== 'string' || !keywordPattern.test(keyword) || keyword.startsWith('$')) return [];
  if (typeof name !== 'string' || name.trim() === '') return [];
  return [{ keyword: keyword.toLowerCase(), name: name.slice(0, labelLimits.name), colour: labelColours.find((each) => each === colour) ?? 'grey' }];
};

/** The labels in the text of a settings message. Whatever is not understood is left out. */
export const labelsIn = (text: string): readonly Label[] => {
  try {
    const settings: unknown = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    const labels: unknown = isObject(settings) ? settings['labels'] : undefined;
    return Array.isArray(labels) ? labels.slice(0, labelLimits.labels).flatMap(labelOf) : [];
  } catch {
    return [];
  }
};

/** The text of the settings message. */
export const settingsText = (labels: readonly Label[]): string =>
  `The web mail keeps the names and colours of labels in this message. It replaces the message with each change.\n\n${JSON.stringify({ labels }, undefined, 2)}\n`;

/** The labels of several settings messages, the newest first: two devices may have written at the same time. */
export const merged = (lists: readonly (readonly Label[])[]): readonly Label[] => {
  const byKeyword = new Map<string, Label>();
  for (const label of lists.flat()) if (!byKeyword.has(label.keyword)) byKeyword.set(label.keyword, label);
  return [...byKeyword.values()].toSorted((one, other) => one.name.localeCompare(other.name));
};

/** Makes a keyword for the name of a new label, which other mail programs show too. */
export const keywordFor = (name: string, taken: readonly Label[]): string => {
  const plain =
    name
      .normalize('NFKD')
      .replaceAll(/[^A-Za-z0-9]/g, ' ')
      .trim()
      .split(/ +/)
      .join('-')
      .toLowerCase()
      .slice(0, 40) || 'label';
  for (let count = 1; ; count += 1) {
    const keyword = count === 1 ? plain : `${plain}-${count}`;
    if (!taken.some((label) => label.keyword === keyword)) return keyword;
  }
};
