import { octets } from './words.ts';

/** The words of uploads. */
export const uploadWords = {
  tooLarge: (limit: number): string => `The file is larger than ${octets(limit)}, which is the most that the server takes.`,
  changed: 'The file can’t be read. It was changed or removed since you chose it.',
  noAnswer: 'The server took the file, but gave no answer that the mail understands.',
  cut: 'The server has fewer octets of the file than were sent.',
} as const;
