import { unsubscribeFrame } from '../../contract/deployment/webmail.ts';
import { hasPolicy } from './frame-policy.ts';

/** Milliseconds after which a request counts as failed. */
const longestRequest = 30_000;

/** Whether requests to unsubscribe can be sent: only from a document whose policy separates it from the page. */
export const canSendRequests = (): Promise<boolean> => hasPolicy(unsubscribeFrame, ["default-src 'none'", 'connect-src https:', 'sandbox allow-scripts']);

/**
 * Sends a request to unsubscribe from a document of its own. @returns whether the host answered. The answer itself can't be
 * read.
 */
export const requestUnsubscribe = async (url: URL): Promise<boolean> => {
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.src = unsubscribeFrame;
  const { promise: isAnswered, resolve } = Promise.withResolvers<boolean>();
  const { port1, port2 } = new MessageChannel();
  const timer = setTimeout(() => resolve(false), longestRequest);
  port1.addEventListener('message', ({ data }) => resolve(data === true));
  port1.start();
  // The frame's origin is opaque, so that no other target origin than "*" names it.
  frame.addEventListener('load', () => frame.contentWindow?.postMessage(url.href, '*', [port2]), { once: true });
  document.body.append(frame);
  try {
    return await isAnswered;
  } finally {
    clearTimeout(timer);
    port1.close();
    frame.remove();
  }
};
