import { phrase } from './phrase.ts';

/**
 * Every English text of the console, in one place, so that it can be translated. Texts of the contract (methods, error
 * messages) come from the API.
 */
export const words = {
  product: 'Postrider',
  id: 'Id',
  navigation: 'Pages',
  signOut: 'Sign out',
  signedOut: { title: 'You are signed out', text: 'Close this tab, or sign in again.', action: 'Sign in' },
  startFailed: { title: 'The console could not start', action: 'Try again' },
  preferences: 'Settings', allSettings: 'All settings',
  appearance: { title: 'Appearance', light: 'Light', dark: 'Dark', system: 'As the system' },
  density: { title: 'Compact lists' },
  help: {
    title: 'Help', info: 'Info', methods: 'API methods of this page',
    methodsText: 'The methods of the admin API that this page calls. In a terminal, write npx postrider-admin before them.',
  },
  notifications: 'Messages',
  breadcrumbs: 'Where you are',
  flashbar: {
    ariaLabel: 'Messages', notificationBarText: 'Messages', notificationBarAriaLabel: 'Show all messages', errorIconAriaLabel: 'Error',
    warningIconAriaLabel: 'Warning', successIconAriaLabel: 'Done', infoIconAriaLabel: 'Information', inProgressIconAriaLabel: 'In progress',
  },
  groups: { people: 'People', domains: 'Domains', sending: 'Sending', operations: 'Operations' },
  pages: {
    overview: 'Overview', users: 'Users', accounts: 'Accounts', aliases: 'Aliases', domains: 'Domains', senderAddresses: 'Sender addresses', activity: 'Activity',
    suppression: 'Suppression', feedback: 'Bounces and complaints', monitoring: 'Monitoring', changeRequests: 'Change requests', support: 'Support',
    audit: 'Audit log',
  },
  search: {
    placeholder: 'Find people, addresses, domains, messages',
    label: 'Find people, accounts, domains and messages',
    messages: (text: string) => phrase`Messages of “${text}”`,
  },
  forbidden: {
    title: 'You need admin rights',
    text: 'Your account can read mail, but it may not operate this deployment. Ask one of its admins to make you an admin (People, Users).',
    again: 'Check again', signOut: 'Sign in as another person',
  },
  notFound: { title: 'There is no such page', text: 'The address may be mistyped, or what it showed was removed.', action: 'Go to the overview' },
  objectNotFound: {
    title: (page: string) => `${page} not found`, text: 'It may have been removed, or the address is mistyped:', action: (list: string) => `Go to ${list}`,
  },
  pageFailed: {
    title: 'This page could not be shown', text: 'The console may have been updated since you opened it. Load it again.', action: 'Load again',
  },
  offline: { title: 'You are offline', text: 'The data may be outdated. It is refreshed when the connection is back.' },
  loading: { text: 'Loading', slow: 'This takes longer than usual. It continues, and nothing is lost.' },
  times: { local: 'Here', utc: 'UTC', inUtc: 'Times in UTC' },
  text: { all: (length: number) => `Show all ${length.toLocaleString()} characters`, less: 'Show less' },
  splitPanel: {
    closeButtonAriaLabel: 'Close the details', openButtonAriaLabel: 'Open the details', preferencesTitle: 'Place of the details',
    preferencesPositionLabel: 'Place', preferencesPositionDescription: 'On a narrow screen the details are always at the bottom.',
    preferencesPositionSide: 'At the side', preferencesPositionBottom: 'At the bottom', preferencesConfirm: 'Save', preferencesCancel: 'Cancel',
    preferencesCloseAriaLabel: 'Close', resizeHandleAriaLabel: 'Change the size of the details', resizeHandleTooltipText: 'Drag, or select, to change the size',
  },
  signInAgain: {
    title: 'Your sign-in has ended',
    text: 'Sign in again in a new window. This page and all that you typed stay as they are.',
    repeated: 'If this question comes back at once, the browser is still signed in from before your password was changed: sign out, and sign in '
      + 'anew. What you typed here is lost then.',
    signOut: 'Sign out',
    action: 'Sign in again', failed: 'The sign-in was not completed. Try again.',
    completed: 'This sign-in belongs to another tab',
    notClosed: 'If the tab that began it is open, go on there and close this window. Otherwise sign in here.',
    unfinished: {
      title: 'The sign-in was not finished',
      text: 'All that you typed is still here. Sign in again to go on. If no window opens, let this site open windows (pop-ups) in your browser.',
    },
  },
  errors: {
    signInRequired: { title: 'Your sign-in has ended', text: 'Sign in again, then repeat the action. Nothing was changed.' },
    unreachable: {
      title: 'The admin API can’t be reached',
      text: 'Check your connection, then try again. It is not known whether a change was made: look before you repeat it.',
    },
    forbidden: 'You may not do this',
    conflict: {
      title: 'Someone else changed this at the same time', text: 'Nothing was saved. The page shows the new data: compare, then try again.',
    },
    notFound: 'Not found',
    throttled: {
      title: 'Too many requests',
      text: (seconds?: number) => `Nothing was changed. Wait ${seconds === undefined ? 'a few' : seconds} seconds, then try again.`,
    },
    offline: { title: 'You are offline', text: 'Nothing was sent. Try again when the connection is back.' },
    timedOut: {
      title: 'The admin API did not answer in time',
      text: 'It is not known whether a change was made: look before you repeat it.',
    },
    failed: { title: 'The service failed', text: 'Try again. If it fails again, give the request’s id to your support.' },
    refused: 'This was not accepted',
    requestId: 'Request id',
    copyForSupport: 'Copy for support', copyRequestId: 'Copy the request’s id',
    retry: 'Try again',
  },
  copy: { action: 'Copy', done: 'Copied', failed: 'Copying failed' },
  list: {
    filter: 'Find', clearFilter: 'Show all', noMatch: 'Nothing matches', preferences: 'Columns and lines', confirm: 'Save', cancel: 'Cancel',
    pageSize: 'Lines on a page', lines: (count: number) => `${count} lines`, columns: 'Columns', wrap: 'Wrap long lines',
    matches: (count: number) => (count === 1 ? '1 match' : `${count} matches`), more: 'Load more', refresh: 'Refresh',
    nextPage: 'Next page', previousPage: 'Previous page', page: (page: number) => `Page ${page}`, select: (name: string) => `Select ${name}`,
    missing: 'The list does not have this. It may have been removed.',
    notRead: 'The part of the list that was read does not have this. It may be further down.',
    noMatchYet: 'Only what was read is searched. There is more to read.',
  },
  form: {
    submit: 'Save', create: 'Create', cancel: 'Cancel', optional: 'optional', required: 'is required', yes: 'Yes', no: 'No', none: 'None',
    choose: 'Choose',
  },
  unsaved: {
    title: 'Leave this page?', text: 'What you typed is not saved. It is lost when you leave.', stay: 'Stay', leave: 'Leave without saving',
  },
  confirm: { typeToConfirm: 'To confirm, type', cancel: 'Cancel' },
  details: { none: '–' },
  panel: { open: 'Open', close: 'Close' },
} as const;
