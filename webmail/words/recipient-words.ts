/** The words of the fields to whom a message goes. */
export const recipientWords = {
  notAddress: 'not an address',
  remove: (who: string): string => `Remove ${who}`,
  problem: (who: string, why: string): string => `${who}: ${why}`,
  moreProblems: (count: number): string => `and ${count.toLocaleString('en')} more`,
  chosen: (label: string): string => `${label}: addresses`,
  keys: 'Enter changes it, Delete removes it.',
} as const;
