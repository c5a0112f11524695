import type { SendBody } from './uploads.ts';

/** Milliseconds without any progress after which a connection counts as broken, as after a change of the network. */
const stalledAfter = 120_000;

/** Posts by XMLHttpRequest, since `fetch` reports no progress. */
export const sendByXhr: SendBody = (url, { headers, body, signal, onProgress }) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const request = new XMLHttpRequest();
    const broken = (): void => reject(new TypeError('the connection broke'));
    const stall = (): void => {
      broken();
      request.abort();
    };
    let timer = setTimeout(stall, stalledAfter);
    const goOn = (): void => {
      clearTimeout(timer);
      timer = setTimeout(stall, stalledAfter);
    };
    const cancel = (): void => request.abort();
    signal.addEventListener('abort', cancel, { once: true });
    request.upload.addEventListener('progress', ({ loaded }) => {
      goOn();
      onProgress(loaded);
    });
    request.addEventListener('load', () => {
      const wait = request.getResponseHeader('retry-after');
      resolve(new Response(request.responseText || null, { status: Math.min(request.status, 599), headers: wait === null ? {} : { 'retry-after': wait } }));
    });
    request.addEventListener('error', broken);
    request.addEventListener('abort', () => reject(signal.reason));
    request.addEventListener('loadend', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    });
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    return request.send(body);
  });
