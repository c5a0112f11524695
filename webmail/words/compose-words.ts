/** The words of a message that is written. Those of a quote are read by its recipients. */
export const composeWords = {
  wrote: (date: string, person: string): string => `On ${date}, ${person} wrote:`,
  forwarded: '---------- Forwarded message ----------',
  via: (author: string, person: string): string => `${author} via ${person}`,
  noHeader: 'Its header is too long.',
  /** The end of a quote whose original is longer. */
  cut: '[…]',
} as const;

/** The time of a quoted message, in the language of the words around it. Undefined for a time that nobody can read. */
export const quotedTime = (iso: string, timeZone?: string): string | undefined => {
  const time = new Date(iso);
  return Number.isNaN(time.getTime()) ? undefined : new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone }).format(time);
};
