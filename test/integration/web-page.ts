import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { openChromium } from './chromium.ts';
import { clientOver, type Frame, type PushClient } from './push-client.ts';

/** An empty page in Chromium, of an origin that no deployment knows: what it may ask and read, the browser decides. */
export const openWebPage = async (): Promise<{ readonly page: Page; readonly close: () => Promise<void> }> => {
  const server = createServer((_request, response) => { response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Web mail</title>'); });
  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const browser = await openChromium();
  const page = await browser.newPage();
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
  return {
    page,
    async close() {
      await browser.close();
      await new Promise((resolve) => { server.closeAllConnections(); server.close(resolve); });
    },
  };
};

/** What a page's script calls, by name, to tell the test something. */
type Telling = { readonly [name: string]: (text: string) => void };

let told = 0;

/** Lets the page tell the test something. @returns the name to tell it by. */
const toldBy = async (page: Page, hear: (text: string) => void): Promise<string> => {
  told += 1;
  await page.exposeFunction(`tell${told}`, hear);
  return `tell${told}`;
};

/** The browser's own WebSocket, which can send no headers: the token is in the URL. */
export const openSocketIn = async (page: Page, url: string): Promise<PushClient> => {
  const frames: Frame[] = [];
  const receive = await toldBy(page, (text) => { frames.push(JSON.parse(text) as Frame); });
  let end: (code: number) => void;
  const closing = new Promise<number>((resolve) => { end = resolve; });
  const close = await toldBy(page, (code) => { end(Number(code)); });
  const socket = await page.evaluateHandle(([place, received, closed]) => new Promise<WebSocket>((resolve, reject) => {
    const told = globalThis as unknown as Telling;
    const opening = new WebSocket(place!, 'jmap');
    opening.addEventListener('message', ({ data }) => told[received!]!(data as string));
    opening.addEventListener('close', ({ code }) => told[closed!]!(String(code)));
    opening.addEventListener('error', () => reject(new Error('the socket failed')));
    opening.addEventListener('open', () => resolve(opening));
  }), [url, receive, close]);
  return clientOver({
    frames,
    send: (text) => void socket.evaluate((open, sent) => open.send(sent), text),
    closed: () => closing,
    leave: () => void socket.evaluate((open) => open.close()),
  });
};

/** What an EventSource told, and the id that it comes back with. */
export type Told = { readonly data: string; readonly lastEventId: string };
export type Events = { readonly events: readonly Told[]; readonly close: () => Promise<void> };

/** The browser's own EventSource, which can send no headers either. @returns the events of a name, as they come. */
export const openEventsIn = async (page: Page, url: string, name: string): Promise<Events> => {
  const events: Told[] = [];
  const receive = await toldBy(page, (event) => { events.push(JSON.parse(event) as Told); });
  const source = await page.evaluateHandle(([place, heard, received]) => {
    const opening = new EventSource(place!);
    opening.addEventListener(heard!, (event) => {
      const { data, lastEventId } = event as unknown as Told;
      (globalThis as unknown as Telling)[received!]!(JSON.stringify({ data, lastEventId }));
    });
    return opening;
  }, [url, name, receive]);
  return { events, close: () => source.evaluate((open) => open.close()) };
};
