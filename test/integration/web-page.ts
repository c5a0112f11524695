import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { openChromium } from './chromium.ts';
import { pushClientOver, type Frame, type PushClient } from './websocket-push-client.ts';

const emptyPage = '<!doctype html><title>Web mail</title>';

/** An open page of a web mail client. `origin` serves an empty page at every path. */
type WebPage = { readonly page: Page; readonly origin: string; readonly close: () => Promise<void> };

/**
 * Opens an empty page in Chromium, of an origin that no deployment knows. The browser enforces CORS for its scripts.
 */
export const openWebPage = async (): Promise<WebPage> => {
  // The browser first: when there is none, nothing is left open that would keep the test process alive.
  const browser = await openChromium();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(emptyPage);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const page = await browser.newPage();
  await page.goto(origin);
  return {
    page,
    origin,
    async close() {
      await browser.close();
      await new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      });
    },
  };
};

/** Functions of the test that a script of the page calls by name. */
type PageCallbacks = { readonly [name: string]: (text: string) => void };

let callbackCount = 0;

/** Makes a function of the test callable in the page. @returns the name for calling it. */
const exposeCallback = async (page: Page, callback: (text: string) => void): Promise<string> => {
  callbackCount += 1;
  await page.exposeFunction(`callback${callbackCount}`, callback);
  return `callback${callbackCount}`;
};

/** Opens the browser's own WebSocket. It can send no headers, so the token is in the URL. */
export const openSocketIn = async (page: Page, url: string): Promise<PushClient> => {
  const frames: Frame[] = [];
  const receive = await exposeCallback(page, (text) => {
    frames.push(JSON.parse(text) as Frame);
  });
  let end: (code: number) => void;
  const closing = new Promise<number>((resolve) => {
    end = resolve;
  });
  const close = await exposeCallback(page, (code) => {
    end(Number(code));
  });
  const socket = await page.evaluateHandle(
    ([target, received, closed]) =>
      new Promise<WebSocket>((resolve, reject) => {
        const callbacks = globalThis as unknown as PageCallbacks;
        const opening = new WebSocket(target!, 'jmap');
        opening.addEventListener('message', ({ data }) => callbacks[received!]!(data as string));
        opening.addEventListener('close', ({ code }) => callbacks[closed!]!(String(code)));
        opening.addEventListener('error', () => reject(new Error('the socket failed')));
        opening.addEventListener('open', () => resolve(opening));
      }),
    [url, receive, close],
  );
  return pushClientOver({
    frames,
    send: (text) => void socket.evaluate((open, sent) => open.send(sent), text),
    closed: () => closing,
    disconnect: () => void socket.evaluate((open) => open.close()),
  });
};

/** An event of an EventSource. `lastEventId` is the id that the next connection sends. */
export type PageEvent = { readonly data: string; readonly lastEventId: string };
export type PageEvents = { readonly events: readonly PageEvent[]; readonly close: () => Promise<void> };

/**
 * Opens the browser's own EventSource, which can't send headers either.
 * @returns the events of one name. New events are added to the list.
 */
export const openEventsIn = async (page: Page, url: string, name: string): Promise<PageEvents> => {
  const events: PageEvent[] = [];
  const receive = await exposeCallback(page, (event) => {
    events.push(JSON.parse(event) as PageEvent);
  });
  const source = await page.evaluateHandle(
    ([target, eventName, received]) => {
      const opening = new EventSource(target!);
      opening.addEventListener(eventName!, (event) => {
        const { data, lastEventId } = event as unknown as PageEvent;
        (globalThis as unknown as PageCallbacks)[received!]!(JSON.stringify({ data, lastEventId }));
      });
      return opening;
    },
    [url, name, receive],
  );
  return { events, close: () => source.evaluate((open) => open.close()) };
};
