import { isSharedComputer } from './token-store.ts';

/** Where something is kept on this device until the sign-out: on a shared computer only until the tab is closed. */
export const deviceStorage = (): Storage => (isSharedComputer() ? sessionStorage : localStorage);
