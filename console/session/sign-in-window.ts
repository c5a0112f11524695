import type { HostedSignIn } from '../../site/sign-in/sign-in.ts';

/** The suffix of the OAuth state of a sign-in in another window. */
const windowMark = '.window';

/** The name of the sign-in window, so that at most one is open. */
const windowName = 'postrider-sign-in';

/** Milliseconds between two checks for a closed window. */
const watchInterval = 300;

/** A channel of this origin. Only the tab that opened the window knows the state, and the window may not know that tab. */
const channelOf = (state: string): BroadcastChannel => new BroadcastChannel(`postrider-sign-in-${state}`);

/** Hands the callback of a sign-in window to the tab that opened it. @returns false in any other window. */
export const handOverCallback = (): boolean => {
  const { search } = window.location;
  const state = new URLSearchParams(search).get('state');
  if (!state?.endsWith(windowMark)) return false;
  const channel = channelOf(state);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has no target origin
  channel.postMessage(search);
  channel.close();
  if (!window.opener) window.close();
  return true;
};

/** Waits for the callback of a window. @returns undefined when the signal is aborted. */
const callbackOf = (opened: Window, state: string, onClosed: () => void, signal: AbortSignal): Promise<string | undefined> =>
  new Promise((resolve) => {
    const channel = channelOf(state);
    const timer = setInterval(() => {
      if (!opened.closed) return;
      clearInterval(timer);
      onClosed();
    }, watchInterval);
    const settle = (callback: string | undefined): void => {
      clearInterval(timer);
      channel.close();
      resolve(callback);
    };
    channel.addEventListener('message', ({ data }: MessageEvent<string>) => settle(data));
    signal.addEventListener('abort', () => settle(undefined));
  });

export const signInWindow = (signIn: Pick<HostedSignIn, 'begin' | 'complete'>): ((onClosed: () => void) => Promise<boolean>) => {
  let attempt: AbortController | undefined;
  return async (onClosed) => {
    attempt?.abort();
    const { signal } = (attempt = new AbortController());
    // The browser permits a window only at once after the click.
    const opened = window.open('', windowName, 'popup,width=500,height=700');
    if (!opened) throw new Error('the browser opened no window');
    const { url, state } = await signIn.begin('/', windowMark);
    if (signal.aborted) return false;
    opened.location.replace(url);
    opened.focus();
    const callback = await callbackOf(opened, state, onClosed, signal);
    if (callback === undefined) return false;
    opened.close();
    await signIn.complete(callback);
    return true;
  };
};
