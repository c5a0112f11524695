export const settingsWords = {
  display: 'Display', displayText: 'Kept in this browser, for every admin who uses it.',
  appearance: 'Appearance', density: 'Density', densities: { comfortable: 'Comfortable', compact: 'Compact: more lines on a screen' },
  timeZone: 'Times', zones: { local: (zone: string) => `In your time zone (${zone})`, UTC: 'In UTC, as in logs' },
  panel: 'Details of a list’s row', panelPositions: { bottom: 'At the bottom', side: 'At the side, on wide screens' },
  lists: 'Lists', listsText: 'The columns, lines on a page and wrapping that you chose in each list.',
  reset: 'Reset all lists', resetDone: 'All lists show their first columns again', 
  chosen: (count: number) => (count === 0 ? 'You have not changed any list.' : `You have changed ${count === 1 ? 'one list' : `${count} lists`}.`),
  deployment: 'Deployment',
  account: 'AWS account', region: 'Region', domain: 'Mail domain', consoleUrl: 'Console', adminApi: 'Admin API', jmap: 'Mail server (JMAP)',
  signIn: 'Hosted sign-in', client: 'OAuth client of the console', version: 'Version of the console', support: 'Copy all for support',
} as const;
