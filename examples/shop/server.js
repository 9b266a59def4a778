'use strict';

require('dotenv').config();

const compression = require('compression');
const cookieParser = require('cookie-parser');
const csurf = require('csurf');
const express = require('express');
const helmet = require('helmet');
const moment = require('moment');
const morgan = require('morgan');

const { findBook, listBooks } = require('./catalogue');
const { placeOrder } = require('./orders');

const app = express();
app.set('view engine', 'pug');
app.use(helmet(), compression(), morgan('tiny'), cookieParser(), express.urlencoded({ extended: true }));
app.use(csurf({ cookie: true }));

app.get('/', async (_request, response, next) => {
  try {
    const books = await listBooks();
    response.render('index', { books, today: moment().format('D MMMM YYYY') });
  } catch (error) {
    next(error);
  }
});

app.get('/books/:id', async (request, response, next) => {
  try {
    const book = await findBook(request.params.id);
    if (book === null) return response.sendStatus(404);
    return response.render('book', { book, token: request.csrfToken() });
  } catch (error) {
    return next(error);
  }
});

app.post('/orders', async (request, response, next) => {
  try {
    const order = await placeOrder(request.body);
    response.redirect(303, `/orders/${order.id}`);
  } catch (error) {
    next(error);
  }
});

app.listen(process.env.PORT || 3000);
